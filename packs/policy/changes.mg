# What a rehearsed call may change without a question: it may add and edit. What it deletes, what git or a
# program that delivers messages would act on, and what leads out of the folder waits for a person, who is shown
# the difference itself. Rules of your own may ask and deny more (docs/governance_shell.md).

ask(Call, "it deletes files of the work folder") :- change(Call, /deleted, _).

ask(Call, "it puts something of another kind in the place of a file or folder") :- change(Call, /replaced, _).

ask(Call, "it makes a link that leads out of the work folder") :- change(Call, /link_out, _).

ask(Call, "it changes what git is told to do or to run (.git)") :- change_in(Call, _, ".git", Name), !git_data(Name).

ask(Call, "it changes what git is told to do or to run (.git)") :- change_at(Call, _, ".git").

ask(Call, "it makes a folder that git takes for a repository") :- change_at(Call, _, "head").

ask(Call, "it puts a message into the outbox, from which it is sent") :- change_in(Call, _, "", "outbox").

ask(Call, What) :- overrun(Call, What).

# What git keeps there and does not obey.
git_data("objects").
git_data("refs").
git_data("logs").
git_data("index").
git_data("head").
git_data("orig_head").
git_data("fetch_head").
git_data("merge_head").
git_data("merge_mode").
git_data("merge_msg").
git_data("auto_merge").
git_data("squash_msg").
git_data("commit_editmsg").
git_data("packed-refs").
