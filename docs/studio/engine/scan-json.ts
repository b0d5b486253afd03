/** Where something stands in JSON text that may be unfinished. */
export interface Place {
  /** As problems write it: `backoff.base`, `retryOn[2].code`. */
  readonly path: string;
  /** The index of its key, or of the item of a list. */
  readonly offset: number;
  /** The text of its value where that is a string, a number, `true`, `false` or `null`. */
  readonly scalar?: string;
}

/** What a caret is in: the object or list around it, and what is expected there. */
export interface Frame {
  readonly type: 'object' | 'array';
  /** The path of the object or list; `''` is the whole text. */
  readonly path: string;
  readonly expects: 'key' | 'colon' | 'value' | 'comma';
  /** The key whose value is expected, or the index of the item. */
  readonly key: string | number;
}

/** JSON text as far as it can be read. */
export interface Scan {
  readonly places: ReadonlyMap<string, Place>;
  /** Undefined before the first bracket, and after the last one. */
  readonly frame: Frame | undefined;
  /** The last token, if the text ends in or directly after it. */
  readonly last: Token | undefined;
}

interface Token {
  readonly text: string;
  readonly from: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Reads JSON text from its beginning and never fails: text that is being typed is wrong most of the time. */
export function scanJson(text: string): Scan {
  const places = new Map<string, Place>();
  const frames: Frame[] = [];
  let last: Token | undefined;
  for (const match of text.matchAll(TOKEN)) {
    last = { text: match[0], from: match.index };
    step(frames, places, last);
  }
  const isAtEnd = last !== undefined && last.from + last.text.length === text.length;
  return { places, frame: frames.at(-1), last: isAtEnd ? last : undefined };
}

function step(frames: Frame[], places: Map<string, Place>, token: Token): void {
  const frame = frames.at(-1);
  switch (token.text) {
    case '{':
    case '[':
      openFrame(frames, places, token);
      return;
    case '}':
    case ']':
      frames.pop();
      return;
    case ':':
      if (frame !== undefined) replaceLast(frames, { ...frame, expects: 'value' });
      return;
    case ',':
      if (frame !== undefined) replaceLast(frames, afterComma(frame));
      return;
  }
  if (frame !== undefined) readScalar(frames, places, token);
}

function openFrame(frames: Frame[], places: Map<string, Place>, { text, from }: Token): void {
  const parent = frames.at(-1);
  const path = parent === undefined ? '' : pathOf(parent);
  if (parent?.type === 'array') places.set(path, { path, offset: from });
  if (parent !== undefined) replaceLast(frames, { ...parent, expects: 'comma' });
  frames.push(
    text === '{'
      ? { type: 'object', path, expects: 'key', key: '' }
      : { type: 'array', path, expects: 'value', key: 0 },
  );
}

function readScalar(frames: Frame[], places: Map<string, Place>, { text, from }: Token): void {
  const frame = frames.at(-1);
  if (frame === undefined) return;
  if (frame.expects === 'key') {
    const named = { ...frame, key: unquote(text), expects: 'colon' } as const;
    places.set(pathOf(named), { path: pathOf(named), offset: from });
    replaceLast(frames, named);
    return;
  }
  if (frame.expects !== 'value') return;
  const path = pathOf(frame);
  places.set(path, { path, offset: places.get(path)?.offset ?? from, scalar: unquote(text) });
  replaceLast(frames, { ...frame, expects: 'comma' });
}

function afterComma(frame: Frame): Frame {
  if (frame.type === 'object') return { ...frame, expects: 'key', key: '' };
  return { ...frame, expects: 'value', key: Number(frame.key) + 1 };
}

function replaceLast(frames: Frame[], frame: Frame): void {
  frames[frames.length - 1] = frame;
}

/** Returns the path of what a frame expects. */
export function pathOf({ type, path, key }: Frame): string {
  if (type === 'array') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${key}`;
}

/** Returns the text of a string token without its quotes, also where the last one is missing. */
export function unquote(text: string): string {
  return text.replace(/^"/, '').replace(/"$/, '');
}
