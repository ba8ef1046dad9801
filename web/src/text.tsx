// How what the memory holds is shown: always as text, never as markup, with what hides or turns it made visible.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {href} from './route';

// Controls, marks that turn the direction of what follows, and signs without a width. The joiners (U+200C, U+200D) stay:
// words of several scripts need them.
const kHidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export function visible(text: string): string {
  return text.replace(kHidden, (sign) => {
    const number = sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `[U+${number}]`;
  });
}

export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// A text of the memory, its direction its own.
export function Data({text}: {text: string}) {
  return <bdi>{visible(text)}</bdi>;
}

export function shorten(text: string, most: number): string {
  const signs = [...visible(text)];
  return signs.length <= most ? signs.join('') : signs.slice(0, most - 1).join('') + '…';
}

export function When({time}: {time: string | undefined}) {
  if (!time) return null;
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return <Data text={time} />;
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return (
    <time dateTime={time} title={time}>
      {day} {two(date.getHours())}:{two(date.getMinutes())}
    </time>
  );
}

export function Trust({trust}: {trust: string | undefined}) {
  if (!trust) return null;
  return <span class={`mark trust-${/^[a-z]+$/.test(trust) ? trust : 'other'}`}>{visible(trust)}</span>;
}

export function Sure({value}: {value: number | undefined}) {
  if (value === undefined || value >= 1) return null;
  return <span class="mark">{Math.round(value * 100)} % sure</span>;
}

// Who said it, from where, when, how far trusted.
export function Origin(of: {
  author?: string;
  source?: string;
  time?: string;
  trust?: string;
  confidence?: number;
  entry?: number;
}) {
  return (
    <span class="origin">
      {of.author ? (
        <>
          by <Data text={of.author} />{' '}
        </>
      ) : null}
      {of.source && of.source !== of.author ? (
        <>
          from <Data text={of.source} />{' '}
        </>
      ) : null}
      <When time={of.time} /> <Trust trust={of.trust} /> <Sure value={of.confidence} />{' '}
      {of.entry ? <EntryLink entry={of.entry} /> : null}
    </span>
  );
}

export function EntryLink({entry}: {entry: number}) {
  return <a href={href('entry', String(entry))}>entry {entry}</a>;
}

export function ThingLink({thing, name}: {thing: string; name: string}) {
  return (
    <a href={href('thing', thing)}>
      <Data text={name || thing} />
    </a>
  );
}

export function Fault({error}: {error: unknown}) {
  if (!error) return null;
  const hint = (error as {hint?: string}).hint;
  return (
    <div class="fault" role="alert">
      <p>
        <Data text={(error as Error).message || String(error)} />
      </p>
      {hint ? (
        <p class="quiet">
          <Data text={hint} />
        </p>
      ) : null}
    </div>
  );
}

// A table that scrolls by itself where it is wider than the page.
export function Table({name, head, children}: {name: string; head: string[]; children: ComponentChildren}) {
  return (
    <div class="wide" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((each) => (
              <th scope="col">
                <Data text={each} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Dialog(of: {title: string; children: ComponentChildren; onClose: () => void}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-label={of.title} onClose={of.onClose}>
      <h2>{of.title}</h2>
      {of.children}
    </dialog>
  );
}

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  busy: boolean;
  again: () => void;
}

// What a request answers; asked anew when one of `by` is another, or by again(). What came late for an earlier question
// is dropped.
export function useLoaded<T>(ask: () => Promise<T>, by: unknown[]): Loaded<T> {
  const [state, setState] = useState<{value?: T; error?: unknown; busy: boolean}>({busy: true});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let wanted = true;
    setState((before) => ({...before, busy: true}));
    ask().then(
      (value) => wanted && setState({value, busy: false}),
      (error: unknown) => wanted && setState({error, busy: false}),
    );
    return () => {
      wanted = false;
    };
  }, [...by, turn]);
  return {
    value: state.value,
    error: state.error,
    busy: state.busy,
    again: () => setTurn((before) => before + 1),
  };
}
