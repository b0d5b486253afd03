import type { LinkedStudio, StudioLink } from './studio-state.ts';

const PAUSE_MS = 300;

/**
 * Keeps the texts and the choice of failures in the fragment of the address, which no server is sent. An address without a text
 * shows what was shown last.
 *
 * @param path - what the fragment begins with, without `#`: `/studio`, or `''`
 */
export function createHashLink(path: string): StudioLink {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: LinkedStudio = { texts: [] };
  const isHere = (): boolean => (location.hash || '#').startsWith(`#${path}`);
  return {
    read: () => readHash(path, latest),
    // Browsers limit how often the address may change.
    write: (linked) => {
      latest = linked;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (isHere()) history.replaceState(null, '', `#${path}?${queryOf(linked)}`);
      }, PAUSE_MS);
    },
    listen: (change) => {
      const changeHere = (): void => {
        if (isHere()) change();
      };
      addEventListener('hashchange', changeHere);
      return () => removeEventListener('hashchange', changeHere);
    },
  };
}

function readHash(path: string, latest: LinkedStudio): LinkedStudio {
  const params = new URLSearchParams(location.hash.slice(1 + path.length).replace(/^\?/, ''));
  const texts = params.getAll('policy');
  const failures = params.get('failures') ?? undefined;
  return texts.length > 0 ? { texts, failures } : { ...latest, ...(failures !== undefined && { failures }) };
}

function queryOf({ texts, failures }: LinkedStudio): URLSearchParams {
  const query = new URLSearchParams(texts.map((text) => ['policy', text]));
  if (failures !== undefined) query.set('failures', failures);
  return query;
}
