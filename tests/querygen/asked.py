"""Requests whose truth is known: written for a call, or made from such a one so that they do not ask for it.

    python -m tests.querygen.asked [GOLDS [SEED]]     prints the table in docs/refinements.md

Each negative keeps the records and values of the call as far as its kind lets it, so that only the words can tell.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from envfactory.environment import ToolSpec
from envfactory.querygen.draft import TurnWords, Unsayable
from envfactory.querygen.placing import arguments_said
from envfactory.querygen.program import Program
from envfactory.querygen.reading import Exchange, Reading
from envfactory.querygen.solvable import turn_problems
from envfactory.querygen.wording import fill
from tests.grounded import catalogue, conversations, grounded_golds, replayed

ASKING = (
    "{C}.", "Could you please {c}?", "I'd like to {c}.", "I need you to {c}.", "Hey, can you {c} for me?",
    "I want to {c}.", "Sorry, I have to ask you to {c}.", "I can't make up my mind, so please {c}.",
    "Would you be so kind as to {c}?", "I was wondering if you might {c}.", "Can we {c}?", "If you don't mind, {c}.",
    "{C}. Let me know when it's done.", "{C} and let me know once it's done.",
    "{C}. If there's a problem, let me know.", "When you get a minute, {c}.", "As soon as you can, please {c}.",
    "{C} now, not tomorrow.",
    "{C}. Thanks a million!", "{C}, that would be lovely.", "{C}. You are a star.", "{C}, as I told your colleague.",
    "{C}. It has been a long week.", "{C}, and have a nice day.", "{C}, I hope that's no trouble.",
    "{C} and we're good.", "{C}, my train leaves soon.", "{C}. Sorry for the short notice.", "{C}, then I'm happy.",
    "{C}, and that's all for now.", "{C}. I owe you one.", "{C} since I can't do it myself.",
    "{C}, you know the drill.", "{C}. Cheers mate.", "{C}, no rush.", "{C}. Much appreciated!",
    "{C}, and thank you very much indeed.", "{C}. I hope you're well.", "{C}. My daughter is waiting.",
    "{C}, the sooner the better.", "{C}. Sorry to bother you.", "{C}, I've been meaning to do that for ages.",
    "{C} because the old one is broken.", "{C}, otherwise my boss gets angry.",
    "{C}. That's the last thing, I promise.", "{C} and sorry for the trouble.", "{C}, it would mean a lot to me.",
    "{C}. We're going on holiday and I want everything ready.",
    "Hi there, hope your day is going well. Could you {c}? Thanks so much!",
    "{C}, please. I'm hopeless with these menus.",
    "I've been trying to sort this out on my own all morning with no luck. Please {c}.",
    "Good evening. I would be most grateful if you would {c}. Kind regards, Margaret", "hiya can you {c} pls, ta x",
    "{C}. Sorry to bother you with this, I know you must be busy.", "Ugh, what a week. Anyway, {c}, please.",
    "My doctor has me resting, so I'm doing all this from bed. {C}, would you?",
    "Could you please {c}? My eyesight isn't what it used to be.",
    "It's finally sunny here and I'm in a good mood. {C}, my friend.",
    "I talked it over with my husband and we're both agreed. {C}.", "{C} thx", "Be a star and {c}.",
    "{C}, thank you kindly. That's everything from me today.",
    "So, long story short, my plans have all been turned upside down. {C}, please.",
    "I can't believe I forgot about this until now, silly me. Can you {c}?",
    "My hands are full with the baby at the moment. {C}, would you please?",
    "I'd like you to {c}. Nothing more, just that.", "Righto, {c}. Cheers, mate.",
    "This has been on my mind all weekend and I just want it off my plate. Please {c}.",
    "Thanks for picking up so quickly. What I need is for you to {c}.",
    "I'm a bit embarrassed to ask because it's so simple, but please {c}.", "May I ask you to {c}? Bless you.",
    "ok so my boss is breathing down my neck lol, {c} please",
    "Please go ahead and {c}. I have thought it through carefully.",
    "My son set this app up for me and I'm still learning. Would you kindly {c}?",
    "{C}, please and thank you. You're a lifesaver!",
    "I'm on the train with terrible signal, so I'll keep it short: {c}.",
    "First time using this, fingers crossed! {C}.",
    "We've had a death in the family and everything is a bit much at the moment. Please could you {c}.",
)  # fmt: skip
NEGATED = (
    "Please don't {c}.", "Do not {c}.", "don't {c}", "There is no need to {c}.", "No need to {c}.",
    "I don't want you to {c}.", "I no longer want to {c}.", "You needn't {c}.", "I'd rather you didn't {c}.",
    "{C}. Never mind.", "{C}. Actually, forget it.", "Whatever you do, do not {c}.",
    "Please don't, under any circumstances, {c}.", "Can you not {c}?", "Hi! Please never {c}.",
    "I didn't ask you to {c}.", "{C}? No, don't.", "Thanks, but don't {c}.", "Could you please not {c}?",
    "Let's not {c}.",
)  # fmt: skip
TOLD = (
    "My sister told me to {c}.", "Yesterday somebody asked the desk to {c}.", "I was told that I could {c}.",
    "You can {c} up to three days before.", "I am wondering whether I should {c}.", "What happens if I {c}?",
    "How do people usually {c}?", "I once had to {c}, and it went well.", "They wanted me to {c}.",
    "Nobody could {c} for me last time.", "I was about to {c} when my phone rang.",
)  # fmt: skip
TIED = (
    "{C} if it rains.", "{C} only if my boss agrees.", "Once my flight has landed, {c}.", "{C} unless I call you back.",
    "Should it rain, {c}.", "When my sister arrives, {c}.", "{C} as long as nobody objects.",
    "{C} the moment I'm paid.",
    "Provided the weather holds, {c}.", "After I have talked to my wife, {c}.", "If Peter agrees, then {c}.",
    "Hold off on this until I tell you: {c}.", "Please {c}, but not yet.", "Tomorrow, not today, {c}.",
    "{C}, but wait for my go-ahead first.", "{C} at some point, there is no hurry.", "Remind me next week to {c}.",
    "{C}. Not today though.", "{C}, but not now: do it next week.", "{C} later, I'm busy now.",
)  # fmt: skip
TAKEN_BACK = (
    "{C}. Ignore my last message.", "{C}. Sorry, I was only joking.", "{C}. Just testing, do nothing.",
    "{C}. I take that back.", "{C}. Hmm, let's not.", "{C}. Oops, wrong chat.", "{C}. Please disregard that.",
    "{C}. No wait, I've changed my mind.", "{C}. On second thought, don't bother.", "{C}. Forget what I just said.",
    "{C}. My mistake, please don't.", "{C}? On reflection, better not.", "{C}. Wait, leave it as is.",
)  # fmt: skip
TALK = (
    "{N}.", "I loved {N}.", "Thanks for {N}, that was lovely.", "{N} is what I was thinking of.",
    "My friend told me about {N}.", "What a day! I keep thinking about {N}.", "I see, {N}.", "{N}? Interesting.",
    "Hello there. {N}.",
)  # fmt: skip
BEYOND = (
    "{C} and delete my account.", "{C}, then undo it.", "Please {c} and erase everything else.", "{C} twice.",
    "{C}. Also, refund my last payment and unsubscribe me.", "Could you {c} three times?",
    "{C} and pay $500 to my landlord.", "{C}, and close my account.", "{C} and do the same for everything else I have.",
    "{C} and tell Anna about it.", "{C}, then forward it to my mother.", "{C} and archive the rest.",
    "{C} and give me a discount of ten percent.", "{C} and book me a table at Luigi's.", "{C}, and remind Bob.",
    "{C} and iron my shirts.", "{C}, then shred the old contract.", "{C} and congratulate her for me.",
    "{C}. Also vacuum the hallway.", "{C} and negotiate a better rate.", "{C} and escort the guests to the door.",
    "{C}, and bake a cake for Tom.", "{C}. Then escalate this to your manager.", "{C} and duplicate it.",
    "{C} and compliment the staff.", "{C} and sue them.", "{C} and cc my assistant.", "{C}, and charge it to my boss.",
    "{C}. Paint the fence too.", "{C} and brief my team.", "{C} and waive the fee.",
    "{C}, please also scan my passport.", "{C} and wipe the logs.", "{C}. Could you also charter a yacht?",
    "{C} and thank the driver.", "{C} and apologise to Sam for me.", "{C} and reward everyone.",
    "{C} and swap it with Bob's.", "{C}, plus throw in a voucher.", "{C} and bring the total down by half.",
    "{C} and make sure that nobody else can see it.", "{C} and let my boss know.", "{C}, then have it gift wrapped.",
    "{C}. After that, polish my resume.", "{C} and deposit $200.", "{C} and whitelist the address.",
    "{C} and endorse Maria.", "{C} and ship the leftovers home.", "{C} and spend the rest on flowers.",
    "{C} and quadruple the amount.", "{C}. I also want you to babysit my kids.", "{C} and block my ex.",
    "{C} and tip the waiter ten dollars.", "{C} and sketch a floor plan.",
    "{C}, and while you're at it, mute all notifications.", "{C} and weed my garden.", "{C} and bribe the inspector.",
    "{C}; and hide it from my wife.", "{C}. Then fax a copy to Berlin.", "{C} and clone the whole thing.",
    "{C}, then trim the list.", "{C} and vote for me.", "{C} and grant Eva access.", "{C} and slash the price.",
    "{C}. And ban that seller.", "{C} and fetch my laundry.", "{C}. Please also flag it for review.",
    "{C} and reimburse me.", "{C} and postpone my other plans.", "{C} and swap seats.",
    "{C}. I'd also like you to sort my inbox.", "{C} and toss the rest.", "{C} and promote him.",
    "{C}, and assign two more people.", "{C} and walk the dog.", "{C} as well as settle my bill.",
    "{C}. After that call a cab.", "{C} & pin it.", "{C} and crop the photo.",
    "{C} and while you are there dust the shelves.", "{C} and increase my limit.", "{C}, oh and fire Bob.",
    "{C} and tune the piano.", "{C}. Next, hang up the posters.", "{C}, and for my brother too.",
    "{C} and return everything I bought.", "{C} and make a backup.", "{C} and put the heating on.",
    "{C} and take the bins out.", "{C} and turn the lights off.",
    "Please {c} and then book me a taxi to the airport for six.", "{C}, and same for my wife.",
    "Could you {c}? Oh, and I'd love a reminder about the dentist on Thursday.",
    "Before anything else, turn off the porch light, then {c}.",
    "{C}. Also my phone bill looks wrong, have someone look into it.", "{C} - plus a window seat on the Friday train.",
    "While you {c}, order more printer paper.", "{C}; the kids' accounts need the same treatment.",
    "I need a refund for the broken lamp. And {c}, please.", "{C} after you have emailed Priya the minutes.",
    "Can you {c}, and what's the weather like in Lisbon this weekend?", "{C}. My brother would like that as well.",
    "Not only should you {c}, you should also put the heating down a notch.",
    "{C} and let my landlord know I've done it.", "Besides getting the car in for a service, I'd like you to {c}.",
    "{C}. Ditto for the other account.",
    "My password needs resetting. My newsletter needs stopping. And would you {c}?",
    "Along with a table for four on Saturday, I want you to {c}.",
    "{C}, and don't forget to send me a written confirmation by post.",
    "Do me a favour and {c}, oh and mute the group chat until Monday.",
    "{C}, please, and a copy of everything to my solicitor.", "In addition to renewing my parking permit, please {c}.",
    "When you {c}, could you also check whether my passport has expired?",
    "{C} and whatever else is outstanding from last week's list.",
    "Please {c}, swap my Tuesday shift with Jonah's, and we're done.",
    "{C}, but also raise the spending limit on my card to 500.",
    "Good morning. {C}. Furthermore, I wish to lodge a complaint about the courier.",
    "Put 'call the plumber' on my to-do list. {C}.", "{C} & change my email to the new one",
    "Okay, {c}, and translate the result into Spanish for my grandmother.",
    "Could I get you to {c}? Flowers for Mum's birthday as well, something under thirty.",
    "{C}. The same goes for anything in Olga's name.", "{C}, followed by a quick summary of my spending in March.",
    "Start the dishwasher, would you, and {c}.",
    "I'd like three things today: the spare key cut, my coat from the cleaners, and for you to {c}.",
    "{C}. And a human agent to ring me back this afternoon, please.", "yo {c} and hit up the landlord bout the boiler",
    "On top of the upgrade I asked for, please {c}.", "{C}, save it all as a PDF and drop it in my shared folder.",
    "Please {c}; additionally, kindly advise what fees apply to international transfers.",
)  # fmt: skip
KINDS = (
    "asked", "negated", "told", "tied", "taken back", "named", "cut", "another", "same record", "exchanged", "crossed",
    "beyond",
)  # fmt: skip
FORMS = {"asked": ASKING, "negated": NEGATED, "told": TOLD, "tied": TIED, "taken back": TAKEN_BACK, "beyond": BEYOND}


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and the call that it is held against; of the kind `asked` it asks for it, of the others not."""

    kind: str
    program: Program
    call: int
    text: str
    calls: int = 1

    @property
    def accepted(self) -> bool:
        """Whether the checker takes it to ask for the call, or for as many from it on."""
        exchange = Exchange((self.text,), range(self.call, self.call + self.calls), range(0), frozenset(), frozenset())
        found = turn_problems(self.program, 0, exchange, self.text)
        return all(problem.reason not in ("not_asked", "misplaced", "unfounded") for problem in found)


def clauses(program: Program, rng: random.Random) -> dict[int, str]:
    """How each call is asked for by rules, where it can be."""
    found: dict[int, str] = {}
    for call in range(len(program.gold.calls)):
        if program.is_users(call):  # they are told to, and ask nobody for it
            continue
        try:
            found[call] = TurnWords(program, set(range(call))).say_somehow(call, rng)[1]
        except Unsayable:
            continue
    return found


def cases(program: Program, rng: random.Random) -> Iterator[Case]:
    """Texts for and against each call of a program, of every kind that it allows."""
    said = clauses(program, rng)
    for call, clause in said.items():
        for kind, forms in FORMS.items():
            yield Case(kind, program, call, rng.choice(forms).format(c=clause, C=begun(clause)))
        names = [program.names.of(bound.entity, bound.key, call) for bound in program.records[call]]
        if all(names) and names:
            yield Case("named", program, call, begun(rng.choice(TALK).format(N=" and ".join(names))))
        words = clause.split()
        yield Case("cut", program, call, " ".join(words[max(1, len(words) // 2) :]))
        others = [other for other in said if program.gold.calls[other].tool != program.gold.calls[call].tool]
        if others:
            yield Case("another", program, call, f"{begun(said[rng.choice(others)])}.")
        for text in _of_the_same_record(program, call, rng):
            yield Case("same record", program, call, f"{begun(text)}.")
        if text := _exchanged(f"{begun(clause)}.", *[_told(program, call, clause)] * 2):
            yield Case("exchanged", program, call, text)
        if call + 1 in said:
            after = said[call + 1]
            both = f"{begun(clause)}. {begun(after)}."
            if text := _exchanged(both, _told(program, call, clause), _told(program, call + 1, after)):
                yield Case("crossed", program, call, text, calls=2)


def _told(program: Program, call: int, clause: str) -> list[tuple[tuple[str, ...], str]]:
    """What a clause says of its call, each once: what kind of value, and its words as they stand there."""
    exchange = Exchange((clause,), range(call, call + 1), range(0), frozenset(), frozenset())
    said = arguments_said(program, Reading(program, exchange), call)
    places = ((value, value.places[0]) for value in said if len(value.places) == 1)
    return [((*value.kind, value.domain), clause[place : place + len(value.words)]) for value, place in places]


def _exchanged(
    text: str, ones: Sequence[tuple[tuple[str, ...], str]], others: Sequence[tuple[tuple[str, ...], str]]
) -> str:
    """A text in which two values of one kind have changed places; none where no two can."""
    for (kind, one), (alike, other) in product(ones, others):
        if kind == alike and one != other and text.count(one) == text.count(other) == 1:
            return text.replace(one, "\0").replace(other, one).replace("\0", other)
    return ""


def _of_the_same_record(program: Program, call: int, rng: random.Random) -> Iterator[str]:
    """What else could be asked of the record that a call is about: one phrasing of each other tool that takes one."""
    tool = program.tool(call)
    if len(program.records[call]) != 1:
        return
    (bound,) = program.records[call]
    name = program.names.of(bound.entity, bound.key, call)
    for other in program.specs[tool.environment].agent_tools:
        takes = [leaf for leaf in other.inputs if leaf.ref == bound.entity and leaf.path in other.required]
        if name and other.name != tool.name and len(takes) == 1:
            yield fill(rng.choice(other.ask), lambda path, other=other: _value(other, path, bound.entity, name))


def _value(tool: ToolSpec, path: str, entity: str, name: str) -> str:
    leaf = tool.input_by_path.get(path)
    if leaf is None:
        return "that"
    if leaf.ref:
        return name if leaf.ref == entity else "the other one"
    return str(leaf.enum[0]).replace("_", " ") if leaf.enum else "3 May" if leaf.format else "this and that"


def begun(text: str) -> str:
    """A text as a sentence begins with it."""
    return text[:1].upper() + text[1:]


def counted(found: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """By kind, how many texts there are and how many of them are taken to ask for their call."""
    every = Counter(case.kind for case in found)
    accepted = Counter(case.kind for case in found if case.accepted)
    return {kind: (every[kind], accepted[kind]) for kind in KINDS}


if __name__ == "__main__":
    count, seed = (int(number) for number in [*sys.argv[1:3], *("400", "11")[len(sys.argv) - 1 :]])
    drawn = grounded_golds(count, seed)
    chance = random.Random(seed)
    every = [case for gold in drawn for case in cases(replayed(catalogue(), gold), chance)]
    for kind, (number, taken) in counted(every).items():
        print(f"| {kind} | {number:,} | {taken / number:.1%} |")
    made, rejects = conversations(drawn)
    print({"finished": len(made), "turns": sum(len(each.conversation.turns) for each in made), **rejects})
