"use strict";
// The browser of conversations, and following a tool's curves in the graph. Text is only ever set as text.
(() => {
  const all = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);

  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  };
  const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const split = (tool) => {
    const at = tool.indexOf("-");
    return at < 0 ? ["", tool] : [tool.slice(0, at), tool.slice(at + 1)];
  };
  const words = (name) => name.replaceAll("_", " ");
  const pretty = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };
  const pairs = (entries, show, inline = false) => {
    const list = make("dl", inline ? "inline" : "");
    for (const entry of entries) {
      const pair = [make("dt", "", words(entry[0])), make("dd", "", ...show(entry))];
      list.append(...(inline ? [make("div", "", ...pair)] : pair));
    }
    return list;
  };

  const callOf = (call) => {
    const [environment, name] = split(call.tool);
    const head = make("div", "", make("span", "code", make("span", "environment", `${environment}-`), make("span", "name", name)));
    if (!call.ok) head.append(make("span", "tag refused", "refused"));
    if (call.gold === null) head.append(make("span", "tag", "not in gold"));
    const object = call.arguments !== null && typeof call.arguments === "object" && !Array.isArray(call.arguments);
    const given = object ? pairs(Object.entries(call.arguments), ([, value]) => [written(value)]) : make("pre", "", written(call.arguments));
    const result = make("pre", "", call.cut ? `${call.result}\n… and ${call.cut} more characters` : pretty(call.result));
    return make("div", "call", head, given, make("details", "", make("summary", "", call.ok ? "Result" : "Refusal"), result));
  };

  const stepOf = (step) => {
    if (!step.calls.length) return make("div", "say assistant", make("span", "who", "Assistant"), step.text);
    const together = step.calls.length > 1 ? make("p", "together", `${step.calls.length} calls at once`) : null;
    const text = step.text ? make("p", "", step.text) : null;
    return make("div", "step", together, text, ...step.calls.map(callOf));
  };

  const changeOf = (change) => {
    const what = change.table ? `${words(change.table)} ${change.id}` : "state";
    const box = make("div", "change", make("p", "what", `${what} `, make("span", "kind", change.kind)));
    if (change.fields.length) {
      box.append(pairs(change.fields, ([, before, after]) => {
        const parts = [];
        if (before !== null) parts.push(make("del", "", written(before)), " ");
        if (after !== null) parts.push(make("ins", "", written(after)));
        return parts;
      }, change.kind === "created"));
    }
    return box;
  };

  const changesOf = (turn) => {
    if (!turn.changes.length) return null;
    const box = make("div", "changes", make("h5", "", "Changes of state"));
    const many = new Set(turn.changes.map((change) => change.environment)).size > 1;
    let environment = "";
    for (const change of turn.changes) {
      if (many && change.environment !== environment) box.append(make("h5", "", words(change.environment)));
      environment = change.environment;
      box.append(changeOf(change));
    }
    return box;
  };

  const setNames = { sft: "SFT", sft_validation: "SFT validation", rl: "RL", rl_validation: "RL validation", unused: "left over" };
  const rewardOf = (item) => (item.terms ? `R ${item.terms.reward.toFixed(2)}` : "");
  const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  let shown = all;
  let current = 0;

  const detail = () => {
    const pane = $("detail");
    pane.replaceChildren();
    const item = shown[current];
    if (!item) {
      pane.append(make("p", "none", "No conversation fits. Loosen a filter."));
      return;
    }
    const back = make("button", "", "Previous");
    const next = make("button", "", "Next");
    back.type = next.type = "button";
    back.disabled = current === 0;
    next.disabled = current === shown.length - 1;
    back.addEventListener("click", () => go(current - 1));
    next.addEventListener("click", () => go(current + 1));
    const facts = [item.persona, item.environments.map(words).join(", "), setNames[item.set] || item.set];
    if (item.terms) facts.push(Object.entries(item.terms).map(([name, value]) => `${name} ${value}`).join(", "));
    const title = make("div", "", make("h3", "code", item.id), make("p", "facts", facts.filter(Boolean).join(" · ")));
    pane.append(make("header", "", title, make("div", "", back, " ", next)));
    item.turns.forEach((turn, index) => {
      const user = make("div", "say user", make("span", "who", "User"), turn.user);
      const last = turn.steps.at(-1);
      const answer = last && !last.calls.length ? turn.steps.slice(0, -1) : turn.steps;
      const box = make("div", "turn", make("h4", "", `Turn ${index + 1} of ${item.turns.length}`), user, ...answer.map(stepOf), changesOf(turn));
      if (answer !== turn.steps) box.append(stepOf(last));
      pane.append(box);
    });
  };

  const mark = (scroll) => {
    [...$("list").children].forEach((line, index) => {
      const button = line.firstChild;
      button.setAttribute("aria-current", String(index === current));
      if (index === current && scroll) button.scrollIntoView({ block: "nearest" });
    });
  };

  const go = (index) => {
    if (index < 0 || index >= shown.length) return;
    current = index;
    mark(true);
    detail();
    history.replaceState(null, "", `#${encodeURIComponent(shown[current].id)}`);
  };

  const list = () => {
    $("found").textContent = shown.length === all.length ? plural(all.length, "conversation") : `${shown.length} of ${plural(all.length, "conversation")}`;
    $("list").replaceChildren(...shown.map((item, index) => {
      const calls = item.turns.reduce((sum, turn) => sum + turn.steps.reduce((inner, step) => inner + step.calls.length, 0), 0);
      const meta = [plural(item.turns.length, "turn"), plural(calls, "call"), setNames[item.set] || item.set, rewardOf(item)];
      const line = item.turns.length ? item.turns[0].user : item.id;
      const button = make("button", "", make("span", "line", line), make("span", "meta", meta.filter(Boolean).join(" · ")));
      button.type = "button";
      button.addEventListener("click", () => go(index));
      return make("li", "", button);
    }));
  };

  const texts = new Map(all.map((item) => [item, JSON.stringify(item).toLowerCase()]));
  const filter = () => {
    const wanted = $("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const [environment, tool, set] = ["environment", "tool", "set"].map((id) => $(id).value);
    shown = all.filter((item) =>
      wanted.every((word) => texts.get(item).includes(word)) &&
      (!environment || item.environments.includes(environment)) &&
      (!tool || item.tools.includes(tool)) && (!set || item.set === set));
    current = 0;
    list();
    mark(false);
    detail();
  };

  const fill = (id, values, name) => {
    for (const value of [...new Set(values)].sort()) {
      const option = make("option", "", name(value));
      option.value = value;
      $(id).append(option);
    }
  };

  if ($("browser")) {
    fill("environment", all.flatMap((item) => item.environments), words);
    fill("tool", all.flatMap((item) => item.tools), (name) => name);
    fill("set", all.map((item) => item.set).filter(Boolean), (name) => setNames[name] || name);
    for (const id of ["environment", "tool", "set"]) $(id).addEventListener("change", filter);
    $("search").addEventListener("input", filter);
    $("browser").hidden = false;
    list();
    const wanted = decodeURIComponent(location.hash.slice(1));
    current = Math.max(0, all.findIndex((item) => item.id === wanted));
    mark(false);
    detail();
    if (all[current].id === wanted) $("conversations").scrollIntoView();
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
      if (event.key === "j") go(current + 1);
      if (event.key === "k") go(current - 1);
      if (event.key === "/") {
        event.preventDefault();
        $("search").focus();
      }
    });
  }

  const graph = document.querySelector("svg.graph");
  if (graph) {
    const tools = [...graph.querySelectorAll(".tool")];
    const edges = [...graph.querySelectorAll(".edge")];
    const byNumber = new Map(tools.map((tool) => [tool.dataset.number, tool]));
    const clear = () => {
      graph.classList.remove("following");
      graph.querySelectorAll(".on, .at").forEach((element) => element.classList.remove("on", "at"));
    };
    for (const tool of tools) {
      tool.addEventListener("mouseleave", clear);
      tool.addEventListener("mouseenter", () => {
        clear();
        graph.classList.add("following");
        tool.classList.add("on", "at");
        for (const edge of edges) {
          if (edge.dataset.a !== tool.dataset.number && edge.dataset.b !== tool.dataset.number) continue;
          edge.classList.add("on");
          for (const end of [edge.dataset.a, edge.dataset.b]) byNumber.get(end).classList.add("on");
        }
      });
      tool.addEventListener("click", () => {
        const option = [...($("tool")?.options || [])].find((one) => one.value === tool.dataset.tool);
        if (!option) return;
        $("tool").value = option.value;
        filter();
        $("conversations").scrollIntoView();
      });
    }
  }
})();
