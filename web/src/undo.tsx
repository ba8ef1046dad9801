// Undo of one's own acts: first what would go and come, then the act itself.
import {useState} from 'preact/hooks';
import {Problem, send, type Undone} from './api';
import {Data, Dialog, Fault, useLoaded, When} from './text';

function Facts({name, of}: {name: string; of: {count: number; facts: string[]}}) {
  if (of.count === 0) return null;
  return (
    <>
      <h3>
        {name} ({of.count})
      </h3>
      <ul class="lines">
        {of.facts.map((fact) => (
          <li>
            <Data text={fact} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function UndoDialog({entries, onEnd}: {entries: string; onEnd: (done: boolean) => void}) {
  const [cascade, setCascade] = useState(false);
  const [error, setError] = useState<unknown>();
  const tried = useLoaded(
    () => send<Undone>('POST', '/v1/undo', {entries, cascade, dry_run: true}),
    [entries, cascade],
  );
  const undo = () =>
    send<Undone>('POST', '/v1/undo', {entries, cascade}).then(() => onEnd(true), setError);
  const depends = tried.error instanceof Problem && tried.error.status === 409;
  return (
    <Dialog title="Undo" onClose={() => onEnd(false)}>
      {tried.value?.acts.map((act) => (
        <p>
          <Data text={act.name || 'an act'} /> of <When time={act.time} />
        </p>
      ))}
      {tried.value ? <Facts name="Would go" of={tried.value.going} /> : null}
      {tried.value ? <Facts name="Would come back" of={tried.value.coming} /> : null}
      {tried.value && tried.value.going.count + tried.value.coming.count === 0 ? (
        <p>No fact goes or comes; a remembered text may.</p>
      ) : null}
      <Fault error={tried.error} />
      {depends || cascade ? (
        <label class="row">
          <input
            type="checkbox"
            checked={cascade}
            onChange={(event) => setCascade(event.currentTarget.checked)}
          />
          later acts that depend on it, too
        </label>
      ) : null}
      <Fault error={error} />
      <p class="row">
        <button class="danger" disabled={!tried.value || tried.busy} onClick={undo}>
          Undo it
        </button>
        <button onClick={() => onEnd(false)}>Leave it</button>
      </p>
    </Dialog>
  );
}

export function UndoButton({entries, onDone}: {entries: string; onDone: () => void}) {
  const [open, setOpen] = useState(false);
  const end = (done: boolean) => {
    setOpen(false);
    if (done) onDone();
  };
  return (
    <>
      <button onClick={() => setOpen(true)}>Undo …</button>
      {open ? <UndoDialog entries={entries} onEnd={end} /> : null}
    </>
  );
}
