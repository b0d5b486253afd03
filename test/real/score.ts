import { definePolicy, explain, readServerDelay } from '@retry/core';
import * as families from '@retry/core/errors';
import { type RecordedScene, readClients, readScenes } from './read-folder.ts';
import { rebuild } from './rebuild.ts';

/** How many decisions about the errors of one file are right, and the names of the scenes where they are not. */
export interface Score {
  readonly file: string;
  right: number;
  /** How often the delay that the server asked for was found; absent where none is recorded. */
  delays?: number;
  readonly lists: {
    /** May pass, and is not matched. */
    readonly missed: string[];
    /** Never passes, and is matched. */
    readonly wrong: string[];
    /** May have been applied, and is repeated also where `idempotent` is false. */
    readonly repeated: string[];
    /** Was not applied, and is not repeated where `idempotent` is false. */
    readonly careful: string[];
    /** The error has the server's delay of 7 s, which was not found. */
    readonly delayMissed: string[];
    /** The server asked for a delay of 7 s, and the client has left it out of what it threw. */
    readonly delayNowhere: string[];
  };
}

/** All families together: what one of them says of another's errors counts, too. */
const retryOn = Object.values(families).flat();

const ANY = definePolicy({ retryOn });
const NOT_APPLIED = definePolicy({ retryOn, idempotent: false });

function isTransient(error: unknown): boolean {
  return explain(ANY, error).retries;
}

/** Scenarios of a server that fails: a repeated call may succeed. */
const PASSING: readonly string[] = [
  ...['429ms', '429ra7', '500', '502', '503', '503ra7', '504', '529'],
  ...['garbage', 'hang', 'mid', 'midchunk', 'refused', 'reset'],
];

/** Those, and servers whose certificate is refused, or whose name is unknown. */
const PERMANENT: readonly string[] = ['400', '401', '403', '404', '409', 'badcert', 'nohost'];

/** Scenarios whose response has `Retry-After: 7`. */
const WITH_DELAY: readonly string[] = ['429ra7', '503ra7'];

/** Scores `errors/*.jsonl` of a folder; scenes of which either decision is right are left out. */
export function scoreScenes(folder: string): readonly Score[] {
  return readScenes(folder).map(([file, scenes]) => {
    const score = emptyScore(file);
    for (const scene of scenes) {
      if (scene.retry === 'policy') continue;
      const error = rebuild(scene.error);
      count(score, nameOf(scene), scene.retry, isTransient(error));
      const isRepeated = explain(NOT_APPLIED, error).retries;
      if (isRepeated && scene.class === 'ambiguous') score.lists.repeated.push(nameOf(scene));
      if (!isRepeated && scene.retry && scene.class === 'not-applied')
        score.lists.careful.push(nameOf(scene));
    }
    return score;
  });
}

function nameOf({ driver, fault, class: kind }: RecordedScene): string {
  return `${driver}: ${fault} (${kind})`;
}

/** Scores `clients/*.json` of a folder. */
export function scoreClients(folder: string): readonly Score[] {
  return readClients(folder).map(([file, { scenarios }]) => {
    const score = { ...emptyScore(file), delays: 0 };
    for (const [scenario, { shape }] of Object.entries(scenarios)) {
      const isPassing = PASSING.includes(scenario);
      if (!isPassing && !PERMANENT.includes(scenario)) continue;
      const error = rebuild(shape);
      count(score, scenario, isPassing, isTransient(error));
      if (!WITH_DELAY.includes(scenario)) continue;
      const delay = readServerDelay(error, Date.now());
      if (delay.type === 'delay' && delay.delayMs === 7_000) score.delays += 1;
      else (hasDelay(shape) ? score.lists.delayMissed : score.lists.delayNowhere).push(scenario);
    }
    return score;
  });
}

/** Whether a record holds the 7 s of these scenarios anywhere, as a value or in a text that speaks of a retry. */
function hasDelay(record: unknown, key = ''): boolean {
  if (typeof record === 'object' && record !== null)
    return Object.entries(record).some(([inner, value]) =>
      hasDelay(value, Array.isArray(record) ? key : inner),
    );
  const text = String(record);
  if (/retry|again|reset/i.test(key)) return /^7(?:000)?s?$/.test(text);
  return /(?:retry|again)[^.]{0,60}\b7(?:000)?(?!\d)/i.test(text);
}

function emptyScore(file: string): Score {
  return {
    file,
    right: 0,
    lists: { missed: [], wrong: [], repeated: [], careful: [], delayMissed: [], delayNowhere: [] },
  };
}

function count(score: Score, name: string, expected: boolean, seen: boolean): void {
  if (seen === expected) score.right += 1;
  else (expected ? score.lists.missed : score.lists.wrong).push(name);
}
