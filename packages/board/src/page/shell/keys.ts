/** What each key does, as the help lists it. */
export const KEYS = {
  'j or ↓': 'next row, or its act',
  'k or ↑': 'row before',
  Enter: 'open the row; do the act that a key has gone to',
  u: 'back to the list',
  r: 'plan a redrive (of an error group); redrive (a run)',
  d: 'plan a discard (of an error group); discard (a run)',
  t: 'replay another policy (on an error group)',
  n: 'run now',
  x: 'cancel (a run)',
  s: 'reschedule',
  e: 'submit once more',
  w: 'why: the reason of an act on a run',
  c: 'copy as a command',
  'g f': 'failures',
  'g r': 'retries',
  'g s': 'storm',
  'g o': 'overview',
  'g w': 'workers',
  'g p': 'operations',
  'g c': 'schedules',
  '/': 'search',
  p: 'pause, and go on',
  Esc: 'leave a field',
  '?': 'these keys',
} as const;

const SCREENS: Readonly<Record<string, string>> = {
  f: 'failures',
  r: 'retries',
  s: 'storm',
  o: 'overview',
  w: 'workers',
  p: 'operations',
  c: 'schedules',
};

/** What the board does at a key; the rest is done here. */
interface KeyActs {
  readonly help: () => void;
  readonly pause: () => void;
}

/** Lets the second click of a double click do nothing: the button may have become another one. @returns what ends it */
export function ignoreSecondClicks(): () => void {
  const listen = (event: MouseEvent): void => {
    if (event.detail < 2 || !(event.target instanceof Element) || !event.target.closest('main button'))
      return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('click', listen, { capture: true });
  return () => removeEventListener('click', listen, { capture: true });
}

/** Listens to the keys of the board; keys inside of fields are theirs. @returns what ends it */
export function listenToKeys(acts: KeyActs): () => void {
  let isGoing = false;
  const listen = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow') && isScrolled(event.target)) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && !event.defaultPrevented) event.target.blur();
      return;
    }
    const screen = isGoing ? SCREENS[event.key] : undefined;
    isGoing = event.key === 'g' && !isGoing;
    if (screen !== undefined) location.hash = `#/${screen}`;
    else if (!isGoing && !press(event.key, acts)) return;
    event.preventDefault();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

function isTyping(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

/** Arrows scroll a text that has the focus. */
function isScrolled(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('pre') !== null;
}

/** @returns whether the key does anything here */
function press(key: string, { help, pause }: KeyActs): boolean {
  switch (key) {
    case '?':
      help();
      return true;
    case 'p':
      pause();
      return true;
    case '/':
      if (!clickMarked(key)) location.hash = '#/search';
      return true;
    case 'j':
    case 'ArrowDown':
      return moveRow(1);
    case 'k':
    case 'ArrowUp':
      return moveRow(-1);
  }
  return clickMarked(key);
}

/** Links and buttons say their key: `data-key="r"`. One with `data-waits` acts at once: the key goes to it, and Enter presses it. */
function clickMarked(key: string): boolean {
  const marked = [...document.querySelectorAll<HTMLElement>('[data-key]')].find(
    ({ dataset }) => dataset['key'] === key,
  );
  marked?.focus();
  if (marked?.dataset['waits'] === undefined) marked?.click();
  return marked !== undefined;
}

function moveRow(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? rows.indexOf(active) : -1;
  const next = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  next?.focus();
  return next !== undefined;
}
