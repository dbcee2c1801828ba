"""Records and results of the mailbox: e-mails in their folders, files, and where mail from a sender is filed."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Owned, Page, Ranked, Record, Ref, Unit, Value

MailboxId = Annotated[str, Ref("Mailbox")]
FolderId = Annotated[str, Ref("MailFolder")]
EmailId = Annotated[str, Ref("Email")]
FileId = Annotated[str, Ref("MailFile")]
OWN = Owned(parameter="email_id", field="mailbox_id", by="mailbox_id")
OWN_FILE = Owned(parameter="file_id", field="mailbox_id", by="mailbox_id")
OWN_FOLDER = Owned(parameter="folder_id", field="mailbox_id", by="mailbox_id")
Address = Annotated[str, Value("email", "E-mail address.")]
Sender = Annotated[str, Value("mail_sender", "Full name of who wrote an e-mail, a person or a service.")]
Subject = Annotated[str, Value("mail_subject", "What an e-mail is about; replies and forwards keep it.")]
Place = Annotated[
    Literal["inbox", "archive", "own", "junk", "drafts", "outbox", "sent", "trash"],
    Value("mail_place", "Kind of folder; own is one that the person named."),
]
Status = Annotated[
    Literal["received", "draft", "outgoing", "sent"],
    Value("mail_status", "Where an e-mail stands; outgoing is told to be sent, but still waits in the outbox."),
]
Form = Annotated[
    Literal["e-mail", "reply", "forward"], Value("mail_form", "Whether an e-mail is a new one, a reply or a forward.")
]
FileKind = Annotated[
    Literal["document", "spreadsheet", "presentation", "picture"], Value("file_kind", "Kind of a file.")
]
Mark = Annotated[Literal["read", "unread"], Value("mail_mark", "Whether the person is done with an e-mail.")]
Megabytes = Annotated[int, Field(ge=0), Unit("megabyte")]
MostMegabytes = Annotated[int, Field(ge=1), Unit("megabyte")]
SendAt = dt.datetime
Emails = Annotated[int, Field(ge=0), Unit("e-mail")]
Text = Annotated[str, FreeText()]
Recipient = Annotated[Address, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=120)]
NewSubject = Annotated[
    str,
    Field(min_length=2, max_length=120),
    FreeText(
        (
            "summer party",
            "office keys",
            "lunch plans",
            "old printer",
            "guest list",
            "parking space",
            "new chairs",
            "phone numbers",
            "coffee machine",
            "quiz night",
            "lost umbrella",
            "spare tickets",
        )
    ),
]
Words = Annotated[
    str,
    Field(min_length=3, max_length=2000),
    FreeText(
        (
            "thank you, I will have a look tonight",
            "that works for me",
            "could we talk about it on Monday",
            "please send me the details by Friday",
            "here is what we agreed on",
        )
    ),
]


class Mailbox(Record, noun="mailbox", label="the mailbox of {name}"):
    """Who is signed in, and how much the mailbox holds."""

    id: MailboxId
    """Identifier of the mailbox."""
    name: str
    """Full name of the person."""
    address: str
    """E-mail address of the person."""
    quota: Megabytes
    """How much it holds, Trash aside."""


class MailFolder(Record, noun="folder", label="my {name} folder", listing="{name}"):
    """A folder of a mailbox."""

    id: FolderId
    """Identifier of the folder."""
    mailbox_id: MailboxId
    """Mailbox that it belongs to."""
    name: str
    """What it is called."""
    place: Place


class MailFile(Record, noun="file", label="the {name} file", listing="{name} ({kind}, {megabytes})"):
    """A file that can be attached to e-mails."""

    id: FileId
    """Identifier of the file."""
    mailbox_id: MailboxId
    """Mailbox that it is kept with."""
    name: str
    """Name of the file, without its ending."""
    kind: FileKind
    megabytes: Annotated[Megabytes, Ranked("smallest", "largest")]
    """Size of the file."""
    saved_on: Annotated[dt.date, Ranked("oldest", "newest")]
    """Day on which it was saved last."""


class FolderName(Output, noun="folder", label="my {name} folder", listing="{name}"):
    """A folder that an e-mail can be moved to."""

    id: FolderId
    """Identifier of the folder."""
    name: str
    """What it is called."""


class Attached(Output, noun="file", label="the {name} file", listing="{name}"):
    """A file that an e-mail carries."""

    file_id: FileId
    """The file."""
    name: str
    """Name of the file."""
    megabytes: Megabytes
    """Size of the file."""


class Email(
    Record,
    noun="e-mail",
    label="the {subject} {form}[ from {sender}][ to {to}][ in my {folder_name} folder]",
    listing="{subject} {form}[ from {sender}]",
):
    """One e-mail: received, written and not sent yet, told to be sent, or sent."""

    id: EmailId
    """Identifier of the e-mail."""
    mailbox_id: MailboxId
    """Mailbox that it is in."""
    subject: Subject
    form: Form = "e-mail"
    sender: Sender | None = None
    """Who wrote it, of received e-mails; all others are the person's own."""
    reply_to: Address | None = None
    """Address that answers go to; services that read none have none."""
    takes_answers: bool = False
    """Whether it was received and can be answered."""
    to: tuple[str, ...]
    """Addresses that it goes to."""
    folder_id: FolderId
    """Folder that it is in."""
    folder_name: str
    """Name of that folder."""
    place: Place
    moves_to: tuple[FolderName, ...]
    """Folders that it can be moved to."""
    status: Status
    at: dt.datetime
    """When it was received or sent, or when a draft was written."""
    unread: bool = False
    """Whether the person has yet to read it."""
    confidential: bool = False
    """Whether its sender forbids to forward it and what came with it."""
    text: Text
    """What it says."""
    files: tuple[Attached, ...] = ()
    """Files that it carries."""
    megabytes: Megabytes = 0
    """Size of these files together."""
    answers_id: str | None = None
    """Identifier of the e-mail that it answers or forwards; its conversation lists that one."""
    leaves_at: dt.datetime | None = None
    """When an outgoing e-mail leaves; until then it can be stopped."""


class MailRule(Record, noun="rule", label="my rule for {sender}", listing="mail from {sender} goes to {folder_name}"):
    """Where new mail from a sender is filed; who is filed into Junk is blocked."""

    id: Annotated[str, Ref("MailRule")]
    """Identifier of the rule."""
    mailbox_id: MailboxId
    """Mailbox that it is for."""
    sender: Sender
    address: str | None = None
    """Address of the sender, if answers are read there."""
    folder_id: FolderId
    """Folder that it files into."""
    folder_name: str
    """Name of that folder."""
    blocks: bool = False
    """Whether that is Junk, so that the sender is blocked."""


class EmailHead(
    Output,
    noun="e-mail",
    label="the {subject} {form}[ from {sender}][ to {to}][ in my {folder_name} folder]",
    listing="{subject} {form}[ from {sender}][ to {to}] ({folder_name}, {at})",
):
    """An e-mail in a list."""

    id: EmailId
    """Identifier of the e-mail."""
    subject: Subject
    form: Form = "e-mail"
    sender: Sender | None = None
    """Who wrote it, of received e-mails."""
    to: str | None = None
    """Addresses that it goes to, of the person's own."""
    folder_name: str
    """Name of the folder that it is in."""
    status: Status
    at: Annotated[dt.datetime, Ranked("oldest", "newest")]
    """When it was received or sent, or when a draft was written."""
    unread: bool
    """Whether the person has yet to read it."""
    megabytes: Annotated[Megabytes, Ranked("smallest", "largest")]
    """Size of the files that it carries."""


class LargeEmail(EmailHead, listing="{subject} {form}[ from {sender}][ to {to}] ({megabytes}, {folder_name})"):
    """An e-mail in a list of those that take most room."""


class EmailPage(Page):
    """A page of e-mails."""

    emails: tuple[EmailHead, ...]
    """The e-mails on this page."""


class FolderCount(Output, noun="folder", label="my {name} folder", listing="{name} ({emails}, {unread} unread)"):
    """A folder and what is in it."""

    id: FolderId
    """Identifier of the folder."""
    name: str
    """What it is called."""
    place: Place
    emails: Annotated[Emails, Ranked("emptiest", "fullest")]
    """E-mails in it."""
    unread: int
    """How many of them are unread."""
    megabytes: Megabytes
    """Size of all files in it."""


class FolderList(Output):
    """The folders of a mailbox."""

    folders: tuple[FolderCount, ...]
    """All of them that match."""


class FilePage(Page):
    """A page of files."""

    files: tuple[MailFile, ...]
    """The files on this page."""


class RulePage(Page):
    """A page of rules."""

    rules: tuple[MailRule, ...]
    """The rules on this page."""


class Storage(Output):
    """How full the mailbox is."""

    used: Megabytes
    """Size of the files in all folders but Trash."""
    quota: Megabytes
    """How much the mailbox holds."""
    left: Megabytes
    """How much room there is."""
    in_trash: Megabytes
    """Size of the files in Trash, which do not count."""
    largest: tuple[LargeEmail, ...]
    """The three e-mails outside Trash that take most room, the largest first."""
