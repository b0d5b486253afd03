import { type ReadonlySignal, signal } from '@preact/signals-core';

/** The address of a screen: the fragment `#/failures/mail@1/9f?state=failed`. */
interface ScreenRoute {
  /** Decoded: `['failures', 'mail@1', '9f']`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal(readRoute());

addEventListener('hashchange', () => {
  current.value = readRoute();
});

/** The address that is shown. */
export const route: ReadonlySignal<ScreenRoute> = current;

function readRoute(): ScreenRoute {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { parts: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
}

/** An address that people have typed may be encoded wrongly. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Writes the address of a screen, for links. */
export function linkTo(
  parts: readonly string[],
  query: Readonly<Record<string, string>> | URLSearchParams = {},
): string {
  const written = new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => value !== ''));
  const path = parts.map(encodeURIComponent).join('/');
  return written.size === 0 ? `#/${path}` : `#/${path}?${written}`;
}
