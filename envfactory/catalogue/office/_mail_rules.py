"""Rules of the mailbox that need nothing but the rows: what may lie where, what is sent to whom, and how large."""

import datetime as dt
from collections.abc import Callable, Iterable

from envfactory.catalogue.office._mail_records import (
    Attached,
    Email,
    FolderName,
    MailFile,
    MailFolder,
    MailRule,
    Place,
)
from envfactory.environment import Table, ToolError

MOST_MEGABYTES = 20
"""What the files of one e-mail have together at most."""
HELD = dt.timedelta(minutes=5)
"""For how long an e-mail waits in the outbox at least."""
SEND_DAYS = 60
"""How far ahead an e-mail can be told to leave."""
MOST_RULES = 8
"""Rules of one mailbox."""
HIDDEN: tuple[Place, ...] = ("junk", "trash")
"""What a search passes over unless it is told to look there."""
PLACES: dict[str, tuple[Place, ...]] = {
    "received": ("inbox", "archive", "own", "junk", "trash"),
    "sent": ("sent", "archive", "own", "trash"),
    "draft": ("drafts", "trash"),
    "outgoing": ("outbox",),
}
"""Kinds of folders that an e-mail may lie in."""


def placed(email: Email, folder: MailFolder, folders: Iterable[MailFolder]) -> Email:
    """The e-mail in a folder, with the other folders of its mailbox that it can be moved to from there."""
    fitting = PLACES[email.status]
    others = [other for other in folders if other.id != folder.id and other.place in fitting]
    moves_to = tuple(FolderName(id=other.id, name=other.name) for other in others)
    return email.evolve(folder_id=folder.id, folder_name=folder.name, place=folder.place, moves_to=moves_to)


def carrying(email: Email, files: tuple[Attached, ...]) -> Email:
    """The e-mail with these files instead of its own.

    Raises:
        ToolError: `limit_exceeded`, they are too large together.
    """
    megabytes = sum(file.megabytes for file in files)
    if megabytes > MOST_MEGABYTES:
        raise ToolError(
            "limit_exceeded",
            f"The files of an e-mail have {MOST_MEGABYTES} megabytes at most, and these would have {megabytes}; "
            "leave one out or take a smaller one.",
        )
    return email.evolve(files=files, megabytes=megabytes)


def attached(file: MailFile) -> Attached:
    """A file as an e-mail carries it."""
    return Attached(file_id=file.id, name=file.name, megabytes=file.megabytes)


def check_draft(email: Email, done: str) -> Email:
    """Refuse what is no draft, or one that was thrown away."""
    if email.status == "outgoing":
        raise ToolError("precondition_failed", f"That e-mail waits in Outbox; unsend it before it is {done}.")
    if email.status != "draft":
        words = f"Only drafts can be {done}, and that e-mail was {email.status}; write a new one, or forward it."
        raise ToolError("precondition_failed", words)
    if email.place == "trash":
        raise ToolError("precondition_failed", f"That draft is in Trash; move it to Drafts before it is {done}.")
    return email


def without(email: Email, file_id: str) -> Email:
    """The e-mail without a file that it carries."""
    kept = tuple(file for file in email.files if file.file_id != file_id)
    if kept == email.files:
        there = ", ".join(file.name for file in email.files) or "no file"
        words = f"No file with the id {file_id!r} is attached; the {email.subject} draft carries {there}."
        raise ToolError("conflict", words)
    return carrying(email, kept)


def check_waiting(email: Email) -> Email:
    """Refuse what does not wait in the outbox."""
    if email.status == "sent":
        words = f"The {email.subject} e-mail left on {email.at}; write another one to set it right."
        raise ToolError("precondition_failed", words)
    if email.status != "outgoing":
        words = f"That e-mail is {email.status} and in {email.folder_name}; only what is in Outbox can be taken back."
        raise ToolError("precondition_failed", words)
    return email


def answered_to(email: Email, me: str, everyone: bool) -> tuple[str, ...]:
    """The addresses that an answer to an e-mail goes to, `me` not among them; refuse what cannot be answered."""
    if email.status != "received":
        words = f"Only received e-mails are answered, and that one is your own ({email.status}); write a new one."
        raise ToolError("precondition_failed", words)
    _check_kept(email, "answered")
    if email.reply_to is None:
        words = f"{email.sender} reads no answers; forward it or write a new e-mail to somebody else."
        raise ToolError("precondition_failed", words)
    own = {me.casefold(), email.reply_to.casefold()}
    others = tuple(address for address in email.to if address.casefold() not in own)
    if everyone and not others:
        words = f"Nobody but you got the {email.subject} e-mail of {email.sender}; leave everyone out to answer it."
        raise ToolError("precondition_failed", words)
    return (email.reply_to, *others) if everyone else (email.reply_to,)


def marked(email: Email, unread: bool) -> Email:
    """A received e-mail as read or unread; refuse what is so already, and the person's own."""
    word = "unread" if unread else "read"
    if email.status != "received":
        words = f"Only received e-mails are marked, and that one is your own ({email.status}); choose another one."
        raise ToolError("precondition_failed", words)
    if email.unread is unread:
        raise ToolError("conflict", f"The {email.subject} e-mail is marked as {word} already; choose another one.")
    return email.evolve(unread=unread)


def check_forwardable(email: Email) -> Email:
    """Refuse what cannot be passed on."""
    if email.status not in ("received", "sent"):
        words = f"That e-mail is {email.status}, so it is not forwarded; send it, or write a new one."
        raise ToolError("precondition_failed", words)
    _check_kept(email, "forwarded")
    if email.confidential:
        words = f"The {email.subject} e-mail is confidential; ask {email.sender} to send it there, by a reply."
        raise ToolError("permission_denied", words)
    return email


def _check_kept(email: Email, done: str) -> None:
    if email.place in HIDDEN:
        words = f"That e-mail is in {email.folder_name}; move it to another folder before it is {done}."
        raise ToolError("precondition_failed", words)


def check_attachable(file: MailFile, email: Email, emails: Iterable[Email]) -> None:
    """Refuse a file that the e-mail carries already, or that came with a confidential one."""
    if any(each.file_id == file.id for each in email.files):
        raise ToolError("conflict", f"The {file.name} file is attached already; choose another one.")
    for other in emails:
        if other.confidential and any(each.file_id == file.id for each in other.files):
            words = f"The {file.name} file came confidentially from {other.sender}; attach another one."
            raise ToolError("permission_denied", words)


def check_recipients(to: Iterable[str], rules: Iterable[MailRule]) -> None:
    """Refuse to write to somebody whose mail is filed into Junk."""
    blocked = {rule.address.casefold(): rule.sender for rule in rules if rule.address and rule.blocks}
    for address in to:
        if address.casefold() in blocked:
            sender = blocked[address.casefold()]
            raise ToolError(
                "precondition_failed",
                f"{sender} ({address}) is blocked; move an e-mail of theirs to Inbox with always set, and write then.",
            )


def check_second(new: Email, emails: Iterable[Email]) -> None:
    """Refuse a draft beside which nobody could tell the one that lies in Drafts already."""
    said = new.subject.casefold(), new.form, new.to
    if any(email.place == "drafts" and (email.subject.casefold(), email.form, email.to) == said for email in emails):
        raise ToolError(
            "conflict",
            f"A draft {new.form} about {new.subject} to {', '.join(new.to)} lies in Drafts already; send that one, or "
            "move it to Trash before you write another.",
        )


def check_departure(send_at: dt.datetime, now: dt.datetime) -> None:
    """Refuse a time at which no e-mail can leave."""
    if not now + HELD <= send_at <= now + dt.timedelta(days=SEND_DAYS):
        minutes = int(HELD.total_seconds()) // 60
        raise ToolError(
            "invalid_argument",
            f"An e-mail leaves {minutes} minutes from now ({now}) at the earliest and in {SEND_DAYS} days at the "
            f"latest, not on {send_at}.",
        )


def check_move(email: Email, folder: MailFolder, always: bool) -> None:
    """Refuse a folder that an e-mail cannot lie in, and a rule for what has no sender but the person."""
    if email.status == "outgoing":
        raise ToolError("precondition_failed", "That e-mail waits in Outbox; unsend it before it is moved.")
    if folder.place not in PLACES[email.status]:
        fitting = ", ".join("folders of your own" if p == "own" else p.capitalize() for p in PLACES[email.status])
        words = f"That e-mail is {email.status}, and such e-mails lie in {fitting}, not in {folder.name}."
        raise ToolError("invalid_argument", words)
    if always and email.status != "received":
        raise ToolError("invalid_argument", "Rules are for mail from others; leave always out for your own e-mails.")


def check_elsewhere(email: Email, folder: MailFolder, ruled: bool) -> None:
    """Refuse to move an e-mail to where it is, unless the rule for its sender changes."""
    if folder.id == email.folder_id and not ruled:
        raise ToolError("conflict", f"The {email.subject} e-mail is in {folder.name} already; choose another one.")


def check_rules(count: int) -> None:
    """Refuse one more rule where there are as many as can be."""
    if count >= MOST_RULES:
        raise ToolError(
            "limit_exceeded",
            f"There are {count} rules, {MOST_RULES} at most; lift one by moving an e-mail of its sender to Inbox with "
            "always.",
        )


def rule(key: str, email: Email, folder: MailFolder) -> MailRule:
    """The rule that later mail from the sender of an e-mail is filed into a folder."""
    return MailRule(
        id=key, mailbox_id=email.mailbox_id, sender=email.sender or "", address=email.reply_to, folder_id=folder.id,
        folder_name=folder.name, blocks=folder.place == "junk",
    )  # fmt: skip


def file_later(
    email: Email, folder: MailFolder, mine: Iterable[MailRule], table: Table[MailRule], new_id: Callable[[str], str]
) -> bool:
    """File later mail from the sender into a folder too; False if that was so before."""
    rules = list(mine)
    old = next((each for each in rules if each.sender == email.sender), None)
    if old is None and folder.place != "inbox":
        check_rules(len(rules))
        table.insert(rule(new_id("RU"), email, folder))
    elif old is not None and folder.place == "inbox":
        table.delete(old.id)
    elif old is not None and old.folder_id != folder.id:
        table.replace(rule(old.id, email, folder))
    else:
        return False
    return True
