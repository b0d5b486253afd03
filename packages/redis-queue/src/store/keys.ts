/** The keys of one queue partition, by the ends of their names, in the order in which scripts get them. */
export const KEY_NAMES = [
  'body',
  'record',
  'stacks',
  'meta',
  'leases',
  'scheduled',
  'front',
  'parked',
  'slots-taken',
  'cancelled-in-lane',
  'finished',
  'long-finished',
  'dead',
  'groups',
  'grouped',
  'replies',
  'workers',
  'lanes',
  'large',
  'awaited',
  'names',
  'parked-by-lane',
  'turns',
  'behind',
  'behind-by-lane',
  'holds',
  'unique-keys',
  'notes',
  'note-keys',
  'note-ends',
] as const;

export type KeyName = (typeof KEY_NAMES)[number];

/** Names of the keys of one partition, all under one hash tag, so that Cluster keeps them on one node. */
export interface Keys {
  readonly of: Readonly<Record<KeyName, string>>;
  readonly laneOf: (tag: string) => string;
  /** The key of a limit of starts. */
  readonly startsOf: (tag: string) => string;
  /** The channel that notifies of work in a lane. */
  readonly wakeOf: (tag: string) => string;
  /** The channel that notifies of ended runs whose results are awaited. */
  readonly resultChannel: string;
  /** The channel that notifies of holds that begin, change or end by a call. */
  readonly holdsChannel: string;
}

/** Returns the keys that begin with `{prefix:partition}:`. */
export function createKeys(prefix: string, partition: number): Keys {
  const base = `{${prefix}:${partition}}:`;
  return {
    of: Object.fromEntries(KEY_NAMES.map((name) => [name, base + name])) as Keys['of'], // all of them
    laneOf: (tag) => `${base}lane:${tag}`,
    startsOf: (tag) => `${base}starts:${tag}`,
    wakeOf: (tag) => `${base}wake:${tag}`,
    resultChannel: `${base}result`,
    holdsChannel: `${base}holds`,
  };
}

/** Returns the text without zero characters, which separate fields in the scripts; `fromTag` is its inverse. */
export function toTag(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these two are the ones that are replaced
  return /[\0\u0001]/.test(text) ? text.replaceAll('\u0001', '\u0001b').replaceAll('\0', '\u0001a') : text;
}

/** Returns the text of a tag. */
export function fromTag(tag: string): string {
  if (!tag.includes('\u0001')) return tag;
  return tag.replaceAll('\u0001a', '\0').replaceAll('\u0001b', '\u0001');
}
