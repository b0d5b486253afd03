import { extname, relative, resolve } from 'node:path';
import { LINT_CODES, parsePolicy } from '@retry/core';
import { glob, isDynamicPattern } from 'tinyglobby';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { readSource, withoutSchema } from '../policies/read-policy.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import { type FoundPolicy, findPolicies } from './find-policies.ts';
import { findingsOf, INVALID_OPTIONS, tryPolicy } from './finding.ts';
import type { LintReport, Unread } from './lint-report.ts';
import { lintText } from './lint-text.ts';

/** The options of `retry lint`. */
export interface LintCommandOptions {
  /** Codes with commas between. */
  readonly ignore?: string;
  readonly traffic?: 'open' | 'closed';
  /** Whether the calls share a retry budget. */
  readonly budget?: boolean;
}

const MODULES: readonly string[] = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/** Checks policies in JSON, and in modules without running them. Exit status 1 if something is found. */
export async function lintAction({ args, options, environment }: Input<LintCommandOptions>): Promise<Report> {
  const sources = await listSources(args, environment);
  const ignored = ignoredCodes(options);
  const parts: (readonly (FoundPolicy | Unread)[])[] = [];
  for (const source of sources) parts.push(await readPolicies(source, environment));
  const all = parts.flat();
  const read = all.filter((part) => 'read' in part);
  const calls = { traffic: options.traffic, hasBudget: options.budget };
  const findings = read.flatMap(({ read: policy, ...location }) => findingsOf(policy, location, calls));
  const report: LintReport = {
    files: sources.length,
    policies: read.length,
    findings: findings.filter(({ code }) => !ignored.includes(code)),
    unread: all.flatMap((part) => unreadOf(part)),
  };
  return {
    json: report,
    text: (screen) => lintText(report, screen),
    exitCode: report.findings.length > 0 ? EXIT.found : EXIT.fine,
  };
}

function ignoredCodes({ ignore = '' }: LintCommandOptions): readonly string[] {
  const codes = ignore.split(',').map((code) => code.trim());
  const known = [INVALID_OPTIONS, ...LINT_CODES];
  const unknown = codes.filter((code) => code !== '' && !known.includes(code));
  if (unknown.length === 0) return codes;
  const cure = `Use of these, with commas between: ${known.join(', ')}.`;
  throw new CliError('WRONG_USAGE', `--ignore has no code ${unknown.map(printable).join(', ')}. ${cure}`);
}

function unreadOf(part: FoundPolicy | Unread): readonly Unread[] {
  if ('read' in part) return [];
  if ('reason' in part) return [part];
  const { unread, ...location } = part;
  return [{ ...location, reason: `${unread} is not in this file` }];
}

/** Returns what the arguments mean: paths, patterns that are expanded here, JSON text, `-`. */
async function listSources(args: readonly string[], { cwd }: CliEnvironment): Promise<readonly string[]> {
  const lists: (readonly string[])[] = [];
  for (const arg of args)
    lists.push(/^\s*[{[]/.test(arg) || !isDynamicPattern(arg) ? [arg] : await expand(arg, cwd));
  return [...new Set(lists.flat())];
}

async function expand(pattern: string, cwd: string): Promise<readonly string[]> {
  const paths = await glob(pattern, { cwd, ignore: ['**/node_modules/**', '**/*.d.ts'] });
  if (paths.length > 0) return [...paths].sort();
  throw new CliError('UNREADABLE_FILE', `No file matches ${pattern}. Patterns start from ${cwd}.`);
}

async function readPolicies(
  source: string,
  environment: CliEnvironment,
): Promise<readonly (FoundPolicy | Unread)[]> {
  if (!MODULES.includes(extname(source))) {
    const text = await readSource(source, environment);
    const file = source === '-' || /^\s*[{[]/.test(source) ? '(policy)' : source;
    return [{ file, read: tryPolicy(() => parsePolicy(withoutSchema(text))) }];
  }
  const text = await readSource(source, environment);
  const file = relative(environment.cwd, resolve(environment.cwd, source)).replaceAll('\\', '/');
  try {
    return findPolicies(text, file);
  } catch (error) {
    if (error instanceof SyntaxError) return [{ file, reason: `it could not be parsed: ${error.message}` }];
    throw error;
  }
}
