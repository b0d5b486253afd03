import type { StudioLink } from './studio-state.ts';

const PAUSE_MS = 300;

/** Keeps the texts in the fragment of the address, which no server is sent. An address without a text shows what was shown last. */
export function createHashLink(): StudioLink {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: readonly string[] = [];
  return {
    read: () => {
      const texts = new URLSearchParams(location.hash.replace(/^#\??/, '')).getAll('policy');
      return texts.length > 0 ? texts : latest;
    },
    // Browsers limit how often the address may change.
    write: (texts) => {
      latest = texts;
      clearTimeout(timer);
      const query = new URLSearchParams(texts.map((text) => ['policy', text]));
      timer = setTimeout(() => history.replaceState(null, '', `#?${query}`), PAUSE_MS);
    },
    listen: (change) => {
      addEventListener('hashchange', change);
      return () => removeEventListener('hashchange', change);
    },
  };
}
