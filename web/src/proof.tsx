// A proof as a tree: a fact, what follows it by which rule, and who stated what it rests on.
import {send, type Proof, type Step} from './api';
import {Data, EntryLink, Fault, Origin, Sure, Trust, useLoaded} from './text';

interface Branch {
  step: Step;
  below: Branch[];
}

// Steps come with their depths, what a step rests on behind it.
export function branches(steps: Step[]): Branch[] {
  const top: Branch[] = [];
  const open: Branch[] = [];
  for (const step of steps) {
    const depth = Math.min(step.depth ?? 0, open.length);
    const branch = {step, below: []};
    open.length = depth;
    (open[depth - 1]?.below ?? top).push(branch);
    open.push(branch);
  }
  return top;
}

function StepLine({step}: {step: Step}) {
  return (
    <>
      <span class="fact">
        <Data text={step.fact} />
      </span>{' '}
      <Sure value={step.confidence} />
      {step.where ? (
        <span class="origin">
          {' '}
          by the rule at <Data text={step.where} />
        </span>
      ) : null}
      {step.repeated ? <span class="origin"> (shown above)</span> : null}
      {step.entry && !step.asserted ? (
        <Origin source={step.source} trust={step.trust} entry={step.entry} />
      ) : null}
      {step.valid_from || step.valid_to ? (
        <span class="origin">
          {' '}
          holds {step.valid_from ? `from ${step.valid_from}` : ''} {step.valid_to ? `to ${step.valid_to}` : ''}
        </span>
      ) : null}
      {(step.asserted ?? []).map((one) => (
        <div class="stated">
          stated <Origin author={one.author} source={one.source} time={one.time} trust={one.trust} />{' '}
          <EntryLink entry={one.entry} />
          {one.provenance ? (
            <>
              {' '}
              · <Data text={one.provenance} />
            </>
          ) : null}
        </div>
      ))}
      {(step.out_of_time ?? []).map((one) => (
        <div class="stated bad">
          <Data text={one} />
        </div>
      ))}
      {(step.contradictions ?? []).map((one) => (
        <div class="stated bad">
          {one.superseded ? 'superseded by ' : 'effective over '}
          <Data text={one.superseded ? one.effective : one.other} />: <Data text={one.reason} />
        </div>
      ))}
    </>
  );
}

function Tree({of}: {of: Branch[]}) {
  return (
    <ul class="tree">
      {of.map((branch) => (
        <li>
          {branch.below.length > 0 ? (
            <details open>
              <summary>
                <StepLine step={branch.step} />
              </summary>
              <Tree of={branch.below} />
            </details>
          ) : (
            <StepLine step={branch.step} />
          )}
        </li>
      ))}
    </ul>
  );
}

export function ProofTree({steps}: {steps: Step[]}) {
  return <Tree of={branches(steps)} />;
}

// Why `about` holds, as the server proves it.
export function WhyOf({about}: {about: string}) {
  const why = useLoaded(() => send<Proof>('POST', '/v1/why', {about, steps: true}), [about]);
  if (why.error) return <Fault error={why.error} />;
  if (!why.value) return <p class="quiet">looking for the proof …</p>;
  const {proof, trust, confidence, superseded, ended} = why.value;
  return (
    <div>
      <p>
        <Trust trust={trust} /> <Sure value={confidence} />{' '}
        {superseded > 0 ? (
          <span class="mark bad">
            {superseded} of its facts {ended > 0 ? 'ended or lost to others' : 'lost to others'}
          </span>
        ) : null}
      </p>
      <ProofTree steps={proof} />
    </div>
  );
}
