"""The messages: from notices to bytes.

A notice takes six forms on its way, each of them a value:

1. `felix_async.follow_up.notice.Notice`: who is told what, and why, kept with the step that gave rise to it;
2. `content.snapshot.Snapshot`: the game as the reader sees it when the letter is written;
3. `content.occasion.Occasion`: what all notices that go into one letter have to tell of that game;
4. `content.mail.Mail`: a subject and a list of sections (`game`, `digest`, `question`, `seat`, `courtesy`
   and `operator` write one each);
5. `content.mail.Composed`: the words of both parts, as `render` draws them;
6. `felix_events.store.rows.Letter`: the bytes with their headers, frozen (`letters`, `mime`).
"""
