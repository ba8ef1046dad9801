# What a campaign (a plan of several phases) teaches: which phases work out, and which tasks fail of what.

Decl current_campaign(Campaign) descr [extensional()].
Decl campaign_phase(Phase, Campaign, Name, Seq, Status, Profile) descr [extensional()].
Decl phase_objective(Phase, Type, Description, Priority) descr [extensional()].
Decl phase_checkpoint(Phase, Checkpoint, Passed, ValidatedAt, Validator) descr [extensional()].
Decl campaign_task(Task, Phase, Description, Status, Type) descr [extensional()].
Decl task_error(Task, Kind, Message) descr [extensional()].
Decl current_time(Now) descr [extensional()].

phase_success_pattern(Type) :-
    campaign_phase(Phase, _, _, _, /completed, _),
    phase_objective(Phase, Type, _, _),
    phase_checkpoint(Phase, _, /true, _, _).
promote_to_long_term(/phase_success, Type) :- phase_success_pattern(Type).

# Only of tasks of this campaign: a failed task of another one says nothing here.
campaign_learning(Campaign, /failure_pattern, Type, Message, Now) :-
    current_campaign(Campaign),
    campaign_phase(Phase, Campaign, _, _, _, _),
    campaign_task(Task, Phase, _, /failed, Type),
    task_error(Task, _, Message),
    current_time(Now).
