import type { LintOptions } from '@retry/core';
import { InvalidOptionsError, LINT_CODES, lintPolicy, parsePolicy } from '@retry/core';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { readSource } from '../policies/read-policy.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import { type Finding, lintText } from './lint-text.ts';

/** The options of `retry lint`. */
interface LintCommandOptions {
  /** Codes with commas between. */
  readonly ignore?: string;
  readonly traffic?: 'open' | 'closed';
  /** Whether the calls share a retry budget. */
  readonly budget?: boolean;
  /** Requests that the client sends in one attempt. */
  readonly requests?: number;
}

/** The code of what is wrong with a policy. */
const INVALID_OPTIONS = 'INVALID_OPTIONS';

const MODULE = /\.[cm]?[jt]sx?$/;

/** Checks policies in JSON. Exit status 1 if something is found. */
export async function lintAction({ args, options, environment }: Input<LintCommandOptions>): Promise<Report> {
  const ignored = ignoredCodes(options);
  const calls = {
    traffic: options.traffic,
    hasBudget: options.budget,
    requestsPerAttempt: options.requests,
  };
  const sources = [...new Set(args)];
  const all: Finding[] = [];
  for (const source of sources) {
    const text = await readJson(source, environment);
    const file = source === '-' || text === source ? '(policy)' : source;
    all.push(...findingsOf(text, calls).map((finding) => ({ file, ...finding })));
  }
  const findings = all.filter(({ code }) => !ignored.includes(code));
  const report = { policies: sources.length, findings };
  return {
    json: report,
    text: (screen) => lintText(report, screen),
    exitCode: findings.length > 0 ? EXIT.found : EXIT.fine,
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

async function readJson(source: string, environment: CliEnvironment): Promise<string> {
  if (!MODULE.test(source)) return readSource(source, environment);
  const cure = 'Give its policy as JSON, or check it in a test of yours: lintPolicy(policy) of @retry/core.';
  throw new CliError('WRONG_USAGE', `${source} is a program, which is not read. ${cure}`);
}

/** Returns everything that is to be said about a policy. */
function findingsOf(text: string, calls: LintOptions): readonly Omit<Finding, 'file'>[] {
  try {
    const warnings = lintPolicy(parsePolicy(text), calls);
    return warnings.map((warning) => ({ severity: 'warning', ...warning }));
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    return error.problems.map(({ path, message, cure }) => ({
      severity: 'error',
      code: INVALID_OPTIONS,
      path,
      message,
      cure,
    }));
  }
}
