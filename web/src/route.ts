// Where in the page one is: "#/thing/C:12?as_of=7". Addresses are made here alone, from encoded parts, so that no text of
// the memory becomes one.
import {useEffect, useState} from 'preact/hooks';

export interface Route {
  view: string;
  of: string;
  query: URLSearchParams;
}

export function href(view: string, of = '', query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `#/${view}${of ? '/' + encodeURIComponent(of) : ''}${text ? '?' + text : ''}`;
}

export function go(view: string, of = '', query: Record<string, string> = {}) {
  location.hash = href(view, of, query);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function now(): Route {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [view, of] = (path ?? '').split('/', 2);
  return {view: view || 'ask', of: decoded(of ?? ''), query: new URLSearchParams(query ?? '')};
}

export function useRoute(): Route {
  const [route, setRoute] = useState(now);
  useEffect(() => {
    const take = () => setRoute(now());
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return route;
}
