"""One person's mailbox as it stands at a moment: what was to leave by then is sent; nobody else's is there."""

import datetime as dt
from typing import TypeVar

from envfactory.catalogue.office import _mail_rules as rules
from envfactory.catalogue.office._mail_records import (
    Attached,
    Email,
    EmailHead,
    FolderCount,
    Form,
    LargeEmail,
    Mailbox,
    MailFile,
    MailFolder,
    MailRule,
    Place,
    Storage,
)
from envfactory.environment import Table, ToolError, owned

H = TypeVar("H", bound=EmailHead)


class Box:
    """What a mailbox looks like; it changes nothing."""

    def __init__(
        self,
        me: Mailbox,
        now: dt.datetime,
        folders: Table[MailFolder],
        files: Table[MailFile],
        emails: Table[Email],
        rules: Table[MailRule],
    ) -> None:
        self.me, self.now = me, now
        self._folders, self._files, self._emails, self._rules = folders, files, emails, rules

    @property
    def folders(self) -> list[MailFolder]:
        """Its folders, in their order."""
        return [folder for folder in self._folders.values() if folder.mailbox_id == self.me.id]

    @property
    def emails(self) -> list[Email]:
        """Its e-mails as they stand."""
        return [self._settled(email) for email in self._emails.values() if email.mailbox_id == self.me.id]

    @property
    def files(self) -> list[MailFile]:
        """The files that can be attached, the one saved last first."""
        mine = [file for file in self._files.values() if file.mailbox_id == self.me.id]
        return sorted(mine, key=lambda file: (file.saved_on, file.id), reverse=True)

    @property
    def rules(self) -> list[MailRule]:
        """Its rules, by sender."""
        mine = [rule for rule in self._rules.values() if rule.mailbox_id == self.me.id]
        return sorted(mine, key=lambda rule: rule.sender)

    def email(self, email_id: str) -> Email:
        """One of its e-mails as it stands; other people's are refused."""
        return self._settled(owned(self._emails.require(email_id), "mailbox_id", self.me.id))

    def folder(self, folder_id: str) -> MailFolder:
        """One of its folders; other people's are refused."""
        return owned(self._folders.require(folder_id), "mailbox_id", self.me.id)

    def file(self, file_id: str) -> MailFile:
        """One of its files; other people's are refused."""
        return owned(self._files.require(file_id), "mailbox_id", self.me.id)

    def placed(self, email: Email, folder: MailFolder) -> Email:
        """The e-mail in a folder, with the other folders that it can be moved to from there."""
        return rules.placed(email, folder, self.folders)

    def put(self, email: Email, place: Place) -> Email:
        """The e-mail in the folder of a kind that there is one of."""
        return self.placed(email, self._only(place))

    def draft(
        self,
        key: str,
        to: tuple[str, ...],
        subject: str,
        text: str,
        form: Form = "e-mail",
        about: Email | None = None,
        files: tuple[Attached, ...] = (),
    ) -> Email:
        """A new draft, refused if somebody blocked would get it or there is one like it.

        Args:
            key: id of the draft.
            to: addresses that it goes to.
            subject: what it is about.
            text: what it says.
            form: whether it is new, a reply or a forward.
            about: the e-mail that it answers or forwards.
            files: what it carries.
        """
        rules.check_recipients(to, self.rules)
        drafts = self._only("drafts")
        new = Email(
            id=key, mailbox_id=self.me.id, subject=subject, form=form, to=to, folder_id=drafts.id,
            folder_name=drafts.name, place="drafts", moves_to=(), status="draft", at=self.now, text=text,
            answers_id=about and about.id,
        )  # fmt: skip
        rules.check_second(new, self.emails)
        return self.placed(rules.carrying(new, files), drafts)

    def conversation(self, email: Email) -> list[Email]:
        """The e-mail and all that answer, forward or precede it, the oldest first."""
        root = self._root(email)
        return sorted((e for e in self.emails if self._root(e) == root), key=lambda e: (e.at, e.id))

    def counts(self) -> list[FolderCount]:
        """Its folders with what is in them."""
        found: list[FolderCount] = []
        emails = self.emails
        for folder in self.folders:
            inside = [email for email in emails if email.folder_id == folder.id]
            unread, megabytes = sum(e.unread for e in inside), sum(e.megabytes for e in inside)
            found.append(
                FolderCount(
                    id=folder.id, name=folder.name, place=folder.place, emails=len(inside), unread=unread,
                    megabytes=megabytes,
                )
            )  # fmt: skip
        return found

    def storage(self) -> Storage:
        """How full it is."""
        emails = self.emails
        counted = sorted((e for e in emails if e.place != "trash"), key=lambda e: (-e.megabytes, e.id))
        used = sum(email.megabytes for email in counted)
        largest = tuple(head(email, LargeEmail) for email in counted[:3] if email.files)
        in_trash = sum(email.megabytes for email in emails) - used
        left = max(0, self.me.quota - used)
        return Storage(used=used, quota=self.me.quota, left=left, in_trash=in_trash, largest=largest)

    def check_room(self, more: int) -> None:
        """Refuse files for which there is no room."""
        left = self.storage().left
        if more > left:
            words = f"That takes {more} megabytes and the mailbox has {left} left; move large e-mails to Trash first."
            raise ToolError("limit_exceeded", words)

    def _settled(self, email: Email) -> Email:
        if email.leaves_at is None or email.leaves_at > self.now:
            return email
        return self.put(email.evolve(status="sent", at=email.leaves_at, leaves_at=None), "sent")

    def _only(self, place: Place) -> MailFolder:
        """The folder of a kind that there is one of."""
        return next(folder for folder in self.folders if folder.place == place)

    def _root(self, email: Email) -> str:
        """The e-mail with which a conversation began."""
        while email.answers_id:
            email = self._emails.require(email.answers_id)
        return email.id


def head(email: Email, form: type[H] = EmailHead) -> H:
    """An e-mail as lists show it."""
    return form(
        id=email.id, subject=email.subject, form=email.form, sender=email.sender,
        to=None if email.sender else ", ".join(email.to),
        folder_name=email.folder_name, status=email.status, at=email.at, unread=email.unread,
        megabytes=email.megabytes,
    )  # fmt: skip
