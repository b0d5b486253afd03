import type { Policy, Preview, Problem } from '@retry/core';
import { InvalidOptionsError, lintPolicy, parsePolicy, preview } from '@retry/core';
import { scanJson } from './scan-json.ts';
import { summarize } from './summarize.ts';

/** A problem or a warning at a line of the text. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  /** The code of a warning; errors of policies have none. */
  readonly code?: string;
  /** `''` is the whole text. */
  readonly path: string;
  /** Counted from 1; absent where nothing of the text is meant. */
  readonly line?: number;
  readonly message: string;
  /** The value seen; absent where there is none. */
  readonly seen?: string;
  readonly cure: string;
}

/** What the studio shows of a policy. */
export interface Inspection {
  readonly findings: readonly Finding[];
  /** Absent while the text is no policy. */
  readonly curve?: Preview;
  readonly sentences: readonly string[];
}

/** How the calls arrive, which no policy says. */
export interface InspectOptions {
  /** Milliseconds that each attempt takes, ≥ 0; without it 0, or up to `attemptTimeout`. */
  readonly attemptMs?: number;
}

/** Retries in a curve; a policy may have no last one. */
const MAX_CURVE_RETRIES = 60;

const MAX_SEEN = 120;

/** Reads policy text: its problems, or its warnings, its curve and what it means in words. */
export function inspect(text: string, options: InspectOptions = {}): Inspection {
  const read = readPolicy(text);
  if ('findings' in read) return { findings: read.findings, sentences: [] };
  const { policy } = read;
  const curve = preview(policy, { ...options, limit: MAX_CURVE_RETRIES });
  return { findings: warningsOf(policy, text), curve, sentences: summarize(policy, curve, options) };
}

/** Returns the policy of a text, or what is wrong with it. */
export function readPolicy(
  text: string,
): { readonly policy: Policy } | { readonly findings: readonly Finding[] } {
  const syntax = findSyntaxError(text);
  if (syntax !== undefined) return { findings: [syntax] };
  try {
    return { policy: parsePolicy(text) };
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    const findings = error.problems.map((problem) => findingOf(problem, text));
    return { findings: findings.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)) };
  }
}

/** Returns what keeps a text from being JSON, at its line. */
export function findSyntaxError(text: string): Finding | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const offset = position === undefined ? text.trimEnd().length : Number(position);
    const cure = 'Quote keys and texts with ", and put a comma between two entries, none after the last.';
    return {
      severity: 'error',
      path: '',
      line: lineAt(text, offset),
      message: `is not JSON: ${message}`,
      cure,
    };
  }
}

/** Returns a problem with the line where its path is written. */
export function findingOf({ path, value, message, cure }: Problem, text: string): Finding {
  const seen = JSON.stringify(value)?.slice(0, MAX_SEEN);
  const finding = { severity: 'error', path, line: lineOf(text, path), message, cure } as const;
  return seen === undefined || path === '' ? finding : { ...finding, seen };
}

function warningsOf(policy: Policy, text: string): readonly Finding[] {
  return lintPolicy(policy).map(({ code, path, message, cure }) => ({
    severity: 'warning',
    code,
    path,
    line: lineOf(text, path),
    message,
    cure,
  }));
}

/** Returns the line of a path, or that of the nearest key above it that is written. */
function lineOf(text: string, path: string): number {
  const { places } = scanJson(text);
  for (let at = path; at !== ''; at = at.replace(/\.?[^.[\]]+$|\[\d+\]$/, '')) {
    const place = places.get(at);
    if (place !== undefined) return lineAt(text, place.offset);
    if (!/[.[]/.test(at)) break;
  }
  return 1;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
