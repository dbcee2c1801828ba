"""A mailbox: find and read mail, write, answer and forward it, attach files, send now or later, file mail by rules.

Whatever is written is a draft first. Sending puts it into the outbox, from where it can be taken back until it leaves;
from its time on it is sent, whoever looks. Discarding is moving to Trash, blocking is filing a sender into Junk.
"""

from typing import Literal, Self

from envfactory.catalogue.office import _mail_records as mail
from envfactory.catalogue.office import _mail_rules as rules
from envfactory.catalogue.office._mail_box import Box, head
from envfactory.catalogue.office._mail_records import OWN, OWN_FILE, OWN_FOLDER
from envfactory.catalogue.office._mail_scenario import mailbox
from envfactory.environment import Differing, Environment, FieldOf, FromNow, Having, PageNumber, Table, World, tool

DRAFTS = Having(parameter="email_id", field="place", among=("drafts",))
KEPT = Having(parameter="email_id", field="place", among=("inbox", "archive", "own", "sent"))


class EmailClient(Environment):
    """Read, write, answer, forward, send, take back and file the e-mails of the signed-in person's mailbox."""

    domain = "office"
    policy = """The user works in their own mailbox only. E-mails are written as drafts and leave when they are told to
    be sent: after five minutes, or at a time up to 60 days ahead. Until then they can be taken back; what has left
    cannot. The files of one e-mail have 20 megabytes at most; all files outside Trash together must fit into the
    mailbox. Mail in Junk and Trash is neither answered nor forwarded, confidential mail and its files are not passed
    on, and some services read no answers. Received mail is filed in Inbox, Archive, own folders, Junk or Trash, sent
    mail in Sent, Archive, own folders or Trash; drafts are discarded by moving them to Trash and come back by moving
    them to Drafts. A sender whose mail is always filed into Junk is blocked and not written to; always filing into
    Inbox lifts that. There are eight such rules at most. Where a draft about the same to the same people lies in
    Drafts, no second one is written. Opening an e-mail does not mark it as read. Never send anything that the user has
    not asked to send."""
    sources = (
        "JMAP for Mail, RFC 8621: Mailbox, Email and EmailSubmission with undoStatus",
        "Microsoft Graph REST API v1.0, message (createReplyAll, createForward, move), attachment and messageRule",
        "Gmail API, users.drafts, users.messages.attachments and users.settings.filters",
        "IMAP QUOTA extension, RFC 9208",
    )

    mailbox_id: mail.MailboxId
    """Mailbox whose session this is."""
    mailboxes: Table[mail.Mailbox]
    folders: Table[mail.MailFolder]
    files: Table[mail.MailFile]
    emails: Table[mail.Email]
    sender_rules: Table[mail.MailRule]

    @tool(
        ask=(
            "find[unread? unread] e-mails[ from {sender}][ about {about}][ in {folder_id}][, {sort} first]",
            "look for[unread? unread] mail[ about {about}][ from {sender}][ in {folder_id}][, {sort} first]",
            "show me the[unread? unread] e-mails[ in {folder_id}][ from {sender}][ about {about}][, {sort} first]",
            "see what[unread? unread] mail there is[ from {sender}][ about {about}][ in {folder_id}][, {sort} first]",
        ),
        noun="[unread? unread ]e-mail[ from {sender}][ about {about}][ in {folder_id}]",
        reply=("I found {emails}.", "There is no such e-mail."),
        where=(OWN_FOLDER,),
    )
    def search_mail(
        self,
        folder_id: mail.FolderId | None = None,
        sender: mail.Sender | None = None,
        about: mail.Subject | None = None,
        unread: bool = False,
        sort: Literal["newest", "oldest", "largest"] = "newest",
        page: PageNumber = 1,
    ) -> mail.EmailPage:
        """Search the signed-in person's e-mails, their own too; those in Junk and Trash only by folder or sender.

        Args:
            folder_id: Only e-mails in this folder.
            sender: Only received e-mails that somebody with this full name wrote.
            about: Only e-mails with these words in their subject.
            unread: Only unread e-mails.
            sort: Order: newest first, oldest first, or those with the largest files first.
            page: Page of the results, five e-mails each.
        """
        box = self._box()
        folder = box.folder(folder_id) if folder_id is not None else None
        found = [
            email
            for email in box.emails
            if (email.folder_id == folder.id if folder else sender or email.place not in rules.HIDDEN)
            and (sender is None or (email.sender or "").casefold() == sender.casefold())
            and (about is None or about.casefold() in email.subject.casefold())
            and (email.unread or not unread)
        ]
        found.sort(key=lambda email: (email.at, email.id), reverse=sort != "oldest")
        if sort == "largest":
            found.sort(key=lambda email: -email.megabytes)
        return mail.EmailPage.of([head(email) for email in found], page)

    @tool(
        ask=(
            "open {email_id}",
            "read me {email_id}",
            "tell me what {email_id} says",
            "show me the text and the attachments of {email_id}",
        ),
        reply=(
            "{sender} on {subject} (in {folder_name}, with {files}): '{text}'",
            "{sender} on {subject} (in {folder_name}): '{text}'",
            "Your e-mail about {subject} to {to} (in {folder_name}, with {files}): '{text}'",
            "Your e-mail about {subject} to {to} (in {folder_name}): '{text}'",
        ),
        where=(OWN,),
    )
    def open_email(self, email_id: mail.EmailId) -> mail.Email:
        """Get an e-mail with its text and files and where it can be moved; mark_email makes it read.

        Args:
            email_id: E-mail to read.
        """
        return self._box().email(email_id)

    @tool(
        ask=(
            "show me the whole conversation around {email_id}",
            "list everything that was written back and forth with {email_id}",
            "go through the thread of {email_id}",
            "find the other e-mails in the conversation of {email_id}",
        ),
        noun="e-mail in the conversation of {email_id}",
        reply=("The conversation: {emails}.", "There is nothing more in that conversation."),
        where=(OWN,),
    )
    def list_conversation(self, email_id: mail.EmailId, page: PageNumber = 1) -> mail.EmailPage:
        """List an e-mail and all that answer, forward or precede it, in all folders, the oldest first.

        Args:
            email_id: Any e-mail of the conversation.
            page: Page of the results, five e-mails each.
        """
        box = self._box()
        return mail.EmailPage.of([head(email) for email in box.conversation(box.email(email_id))], page)

    @tool(
        ask=(
            "list my mail folders[with_unread? that have unread mail]",
            "show me which mail folders I have[with_unread? with unread mail in them]",
            "see how many e-mails are in my folders[with_unread? with unread mail]",
            "go over my mail folders[with_unread? that have something unread] and what is in them",
        ),
        noun="mail folder[with_unread? with unread mail]",
        reply=("Your folders: {folders}.", "There is no such folder."),
    )
    def list_folders(self, with_unread: bool = False) -> mail.FolderList:
        """List the signed-in person's folders with how many e-mails they hold, Inbox first.

        Args:
            with_unread: Only folders with unread mail.
        """
        return mail.FolderList(folders=tuple(each for each in self._box().counts() if each.unread or not with_unread))

    @tool(
        ask=(
            "find a[ {kind}] file of mine[ of at most {max_megabytes}] that I could attach",
            "list my[ {kind}] files[ up to {max_megabytes}]",
            "show me which[ {kind}] files I have for attaching[, {max_megabytes} or less]",
            "look through my[ {kind}] files[ of no more than {max_megabytes}]",
        ),
        noun="[{kind} ]file[ of at most {max_megabytes}]",
        reply=("You have {files}.", "You have no such file."),
    )
    def find_files(
        self, kind: mail.FileKind | None = None, max_megabytes: mail.MostMegabytes | None = None, page: PageNumber = 1
    ) -> mail.FilePage:
        """Find the signed-in person's files that can be attached, the one saved last first.

        Args:
            kind: Only files of this kind.
            max_megabytes: Only files of this size or smaller, in megabytes.
            page: Page of the results, five files each.
        """
        fitting = [f for f in self._box().files if max_megabytes is None or f.megabytes <= max_megabytes]
        found = [file for file in fitting if kind in (None, file.kind)]
        return mail.FilePage.of(found, page)

    @tool(
        ask=(
            "list the rules by which my mail is filed[ into {folder_id}]",
            "show me whose mail is always filed[ into {folder_id}]",
            "see which senders have a rule in my mailbox[ for {folder_id}]",
            "check my mail rules[ for {folder_id}]",
        ),
        noun="mail rule[ for {folder_id}]",
        reply=("Your rules: {rules}.", "There is no such rule."),
        where=(OWN_FOLDER,),
    )
    def list_rules(self, folder_id: mail.FolderId | None = None, page: PageNumber = 1) -> mail.RulePage:
        """List the senders whose mail is always filed into a folder, by name; those of Junk are blocked.

        Args:
            folder_id: Only rules that file into this folder.
            page: Page of the results, five rules each.
        """
        box = self._box()
        wanted = box.folder(folder_id).id if folder_id is not None else None
        found = [rule for rule in box.rules if wanted in (None, rule.folder_id)]
        return mail.RulePage.of(found, page)

    @tool(
        ask=(
            "check how full my mailbox is",
            "see what takes most room in my mailbox",
            "tell me how many megabytes are left in my mailbox",
            "find out which e-mails are the largest in my mailbox",
        ),
        reply=("{left} of {quota} are left. The largest: {largest}.", "{left} of {quota} are left."),
    )
    def check_storage(self) -> mail.Storage:
        """Check how much of the mailbox is used and what takes most room; what is in Trash does not count."""
        return self._box().storage()

    @tool(
        writes=True,
        ask=(
            "draft an e-mail to {to} about {subject}: '{text}'",
            "write {to} an e-mail with the subject {subject} that says '{text}'",
            "compose an e-mail about {subject} for {to}, saying '{text}'",
            "start a new e-mail to {to}, subject {subject}, with the words '{text}'",
        ),
        reply=("The draft about {subject} is ready in {folder_name}.",),
    )
    def write_draft(self, to: mail.Recipient, subject: mail.NewSubject, text: mail.Words) -> mail.Email:
        """Write a new e-mail from the signed-in person, as a draft; it leaves only by send_email.

        Args:
            to: E-mail address that it goes to.
            subject: What it is about, 2 to 120 characters.
            text: What it says, 3 to 2000 characters.
        """
        return self.emails.insert(self._box().draft(self.new_id("EM"), (to,), subject, text))

    @tool(
        writes=True,
        ask=(
            "draft a reply to {email_id} that says '{text}'[everyone? and goes to everyone on it]",
            "write an answer to {email_id}: '{text}'[everyone?, addressed to everyone on it]",
            "prepare a[everyone? group] reply to {email_id} with '{text}'",
            "reply to {email_id}[everyone? and all others on it] with '{text}'",
        ),
        reply=("The reply about {subject} is ready in {folder_name}.",),
        where=(OWN, KEPT, Having(parameter="email_id", field="takes_answers", among=(True,))),
    )
    def draft_reply(self, email_id: mail.EmailId, text: mail.Words, everyone: bool = False) -> mail.Email:
        """Write an answer to a received e-mail, as a draft with the same subject; it leaves only by send_email.

        Args:
            email_id: E-mail to answer.
            text: What the answer says, 3 to 2000 characters.
            everyone: Whether it goes to all others who got the e-mail too; somebody else must have got it then.
        """
        box = self._box()
        email = box.email(email_id)
        to = rules.answered_to(email, box.me.address, everyone)
        return self.emails.insert(box.draft(self.new_id("EM"), to, email.subject, text, "reply", email))

    @tool(
        writes=True,
        ask=(
            "forward {email_id} to {to}[ with the note '{note}']",
            "pass {email_id} on to {to}[ and add '{note}']",
            "prepare {email_id} for forwarding to {to}[, adding '{note}']",
            "draft a forward of {email_id} to {to}[ that begins with '{note}']",
        ),
        reply=("The e-mail about {subject} is ready for forwarding in {folder_name}.",),
        where=(
            OWN,
            KEPT,
            Having(parameter="email_id", field="status", among=("received", "sent")),
            Having(parameter="email_id", field="confidential", among=(False,)),
            Differing(parameter="to", other="email_id", field="reply_to"),
        ),
    )
    def draft_forward(self, email_id: mail.EmailId, to: mail.Recipient, note: mail.Words | None = None) -> mail.Email:
        """Pass a received or sent e-mail on with its files, as a draft; it leaves only by send_email.

        Args:
            email_id: E-mail to forward, not a confidential one.
            to: E-mail address that it goes to.
            note: What the signed-in person says before it, 3 to 2000 characters.
        """
        box = self._box()
        email = rules.check_forwardable(box.email(email_id))
        box.check_room(email.megabytes)
        text = "\n".join(filter(None, (note, f"{email.sender or box.me.name} wrote: {email.text}")))
        return self.emails.insert(
            box.draft(self.new_id("EM"), (to,), email.subject, text, "forward", email, email.files)
        )

    @tool(
        writes=True,
        ask=(
            "attach {file_id} to {email_id}",
            "add {file_id} to {email_id} as an attachment",
            "put {file_id} in {email_id}",
            "include {file_id} with {email_id}",
        ),
        reply=("The draft about {subject} carries {files} now, {megabytes} in all.",),
        where=(OWN, OWN_FILE, DRAFTS),
    )
    def attach_file(self, email_id: mail.EmailId, file_id: mail.FileId) -> mail.Email:
        """Attach one of the signed-in person's files to a draft; its files have 20 megabytes together at most.

        Args:
            email_id: Draft that is not in Trash.
            file_id: File to attach.
        """
        box = self._box()
        email, file = rules.check_draft(box.email(email_id), "given files"), box.file(file_id)
        rules.check_attachable(file, email, box.emails)
        carrying = rules.carrying(email, (*email.files, rules.attached(file)))
        box.check_room(file.megabytes)
        return self.emails.replace(carrying)

    @tool(
        writes=True,
        ask=(
            "take {file_id} off {email_id}",
            "remove {file_id} from {email_id}",
            "detach {file_id} from {email_id}",
            "leave {file_id} out of {email_id}",
        ),
        reply=(
            "The draft about {subject} carries {files} now, {megabytes} in all.",
            "The draft about {subject} carries no files now.",
        ),
        where=(OWN, DRAFTS, FieldOf(parameter="file_id", other="email_id", field="files[].file_id")),
    )
    def remove_attachment(self, email_id: mail.EmailId, file_id: mail.FileId) -> mail.Email:
        """Take a file off a draft; the file itself is kept.

        Args:
            email_id: Draft that is not in Trash.
            file_id: File that it carries.
        """
        email = rules.check_draft(self._box().email(email_id), "changed")
        return self.emails.replace(rules.without(email, file_id))

    @tool(
        writes=True,
        ask=(
            "send {email_id}[ on {send_at}]",
            "send off {email_id}[ on {send_at}]",
            "have {email_id} go out[ on {send_at}]",
            "mail out {email_id}[ on {send_at}]",
        ),
        reply=("The e-mail about {subject} leaves on {leaves_at}; until then you can take it back.",),
        where=(OWN, DRAFTS, FromNow(parameter="send_at", days=(1, 21))),
    )
    def send_email(self, email_id: mail.EmailId, send_at: mail.SendAt | None = None) -> mail.Email:
        """Have a draft sent: it waits in Outbox, where it can be taken back, and leaves in five minutes or later.

        Args:
            email_id: Draft that is not in Trash.
            send_at: When it leaves, at most 60 days ahead; five minutes from now if left out.
        """
        box = self._box()
        email, leaves_at = rules.check_draft(box.email(email_id), "sent"), send_at or self.now + rules.HELD
        rules.check_recipients(email.to, box.rules)
        rules.check_departure(leaves_at, self.now)
        return self.emails.replace(box.put(email.evolve(status="outgoing", leaves_at=leaves_at), "outbox"))

    @tool(
        writes=True,
        ask=(
            "unsend {email_id}",
            "take {email_id} back out of the outbox",
            "pull {email_id} back before it goes out",
            "turn {email_id} in the outbox back into a draft",
        ),
        reply=("The e-mail about {subject} is a draft again.",),
        where=(OWN, Having(parameter="email_id", field="place", among=("outbox",))),
    )
    def unsend_email(self, email_id: mail.EmailId) -> mail.Email:
        """Take an e-mail that has not left yet back out of Outbox; it is a draft again.

        Args:
            email_id: E-mail in Outbox.
        """
        box = self._box()
        email = rules.check_waiting(box.email(email_id))
        return self.emails.replace(box.put(email.evolve(status="draft", leaves_at=None), "drafts"))

    @tool(
        writes=True,
        ask=(
            "move {email_id} to {folder_id}[always? and always file mail from its sender there]",
            "put {email_id} into {folder_id}[always?, along with all later mail from its sender]",
            "file {email_id} in {folder_id}[always? and make that the rule for its sender]",
            "sort {email_id} into {folder_id}[always? and do so with whatever its sender writes next]",
        ),
        reply=("The e-mail about {subject} is in {folder_name} now.",),
        where=(OWN, OWN_FOLDER, FieldOf(parameter="folder_id", other="email_id", field="moves_to[].id")),
    )
    def move_email(self, email_id: mail.EmailId, folder_id: mail.FolderId, always: bool = False) -> mail.Email:
        """Move an e-mail to another folder, to Trash to discard it and out of there to bring it back.

        Args:
            email_id: Received or sent e-mail, or a draft.
            folder_id: Folder that it shall be in.
            always: Whether later mail from its sender is filed there too, for received e-mails; filing into Junk
                blocks the sender, and filing into Inbox lifts whatever rule there is.
        """
        box = self._box()
        email, folder = box.email(email_id), box.folder(folder_id)
        rules.check_move(email, folder, always)
        ruled = always and rules.file_later(email, folder, box.rules, self.sender_rules, self.new_id)
        rules.check_elsewhere(email, folder, ruled)
        if email.place == "trash" != folder.place:
            box.check_room(email.megabytes)
        return self.emails.replace(box.placed(email, folder))

    @tool(
        writes=True,
        ask=(
            "mark {email_id} as {mark}",
            "change {email_id} to {mark}",
            "set {email_id} to {mark}",
            "put {email_id} down as {mark}",
        ),
        reply=("The e-mail about {subject} is marked as {mark}.",),
        where=(OWN, Having(parameter="email_id", field="status", among=("received",))),
    )
    def mark_email(self, email_id: mail.EmailId, mark: mail.Mark) -> mail.Email:
        """Mark a received e-mail as read or unread, which opening it does not do.

        Args:
            email_id: Received e-mail, in any folder.
            mark: What it shall be, read or unread.
        """
        return self.emails.replace(rules.marked(self._box().email(email_id), mark == "unread"))

    def _box(self) -> Box:
        me = self.mailboxes.require(self.mailbox_id)
        return Box(me, self.now, self.folders, self.files, self.emails, self.sender_rules)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A mailbox with received, sent, waiting and discarded mail in its folders, and another person's beside it."""
        return cls.model_validate(mailbox(world, size))
