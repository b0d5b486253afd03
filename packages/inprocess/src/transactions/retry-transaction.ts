import type { Policy, PolicyInput, Problem } from '@retry/core';
import { extendPolicy, InvalidOptionsError } from '@retry/core';
import type { PolicySettings, Report } from '@retry/core/fields';
import { A_FUNCTION, findMatch, mayBeApplied, settingsOf } from '@retry/core/fields';
import { readOptions, rulesWithout } from '../call/check-options.ts';
import type { AttemptContext } from '../call/context.ts';
import { report } from '../call/hooks.ts';
import type { RetryOptions } from '../call/options.ts';
import { retry } from '../retry.ts';
import { transactionPolicy } from './transaction-policy.ts';

/**
 * Begins a transaction, calls `run` with it, and commits once `run` has resolved, or rolls back once it has rejected. The transaction
 * function of most clients is one: `(run) => db.transaction(run)`.
 */
export type Begin<Transaction> = (
  run: (transaction: Transaction) => Promise<unknown>,
) => PromiseLike<unknown>;

/** Options of `retryTransaction`: those of `retry`, and a probe. What `retryIfResult` would refuse is committed already. */
export interface TransactionOptions<Result> extends Omit<RetryOptions<Result>, 'retryIfResult'> {
  /**
   * Asked after a COMMIT whose answer was lost: whether the transaction was applied. `true`: the call resolves; `false`: the
   * transaction is repeated. Any other answer ends the retrying with the error of the COMMIT; so does a throw, which is reported.
   */
  readonly committed?:
    | ((result: Result, context: AttemptContext) => boolean | PromiseLike<boolean>)
    | undefined;
}

/**
 * Runs a transaction, and the whole of it again where it was rolled back or not applied: after a deadlock, a serialization failure, a lock that
 * was not available, a connection that was refused or that broke before the COMMIT. A COMMIT whose answer was lost is repeated only
 * with `idempotent: true` in the policy, or where `committed` says that it was not applied.
 *
 * @param begin - begins one transaction, on a connection of its own; called once for each attempt
 * @param fn - the whole transaction; called again, so what it does outside of the transaction must be repeatable
 * @param policy - on top of {@link transactionPolicy}: `retryOn` and `stopOn` add to its lists, every other key wins
 * @returns what `fn` returned in the attempt that was committed
 * @throws the last attempt's own error, by identity
 * @throws {InvalidOptionsError} when the policy or the options are invalid
 */
export async function retryTransaction<Transaction, Result>(
  begin: Begin<Transaction>,
  fn: (transaction: Transaction, context: AttemptContext) => Promise<Result> | Result,
  policy: PolicyInput = {},
  options: TransactionOptions<Result> = {},
): Promise<Result> {
  const { committed, ...others } = readArguments(begin, fn, options);
  const extended = extendPolicy({ ...transactionPolicy, idempotent: undefined }, policy);
  const { reportError } = others;
  // It is about the COMMIT alone, so its default goes with `retryOn: 'everything'`, too.
  const { idempotent = false, retryTimeouts = idempotent } = policy;
  const rules = { retryOn: settingsOf(extended).retryOn, idempotent };
  let latest: Commit = { isFinal: false };
  const attempt = (context: AttemptContext): Promise<Result> => {
    latest = { isFinal: false };
    return runOnce({ begin, fn, committed, reportError, rules, commit: latest }, context);
  };
  const gated = withGate(extended, { retryTimeouts, isFinal: () => latest.isFinal });
  return retry(attempt, gated, others) as Promise<Result>; // `runOnce` has awaited it
}

/** What decides about a COMMIT in doubt. */
type CommitRules = Pick<PolicySettings, 'retryOn' | 'idempotent'>;

/** The COMMIT of one attempt: an attempt that was cut off may go on beside the next one. */
interface Commit {
  /** Whether nothing may be repeated if the attempt fails now. */
  isFinal: boolean;
}

interface Run<Transaction, Result> extends Pick<TransactionOptions<Result>, 'committed' | 'reportError'> {
  readonly begin: Begin<Transaction>;
  readonly fn: (transaction: Transaction, context: AttemptContext) => Promise<Result> | Result;
  readonly rules: CommitRules;
  readonly commit: Commit;
}

/** Makes one attempt, and notes of a COMMIT that is under way, or has failed, whether a failure is final. */
async function runOnce<Transaction, Result>(
  { begin, fn, committed, reportError, rules, commit }: Run<Transaction, Result>,
  context: AttemptContext,
): Promise<Result> {
  let done: { readonly result: Result } | undefined;
  try {
    await begin(async (transaction) => {
      done = undefined; // a client that repeats by itself calls it again
      commit.isFinal = false;
      throwIfCutOff(context);
      const result = await fn(transaction, context);
      throwIfCutOff(context);
      done = { result };
      commit.isFinal = !rules.idempotent;
      return result;
    });
    commit.isFinal = false;
  } catch (error) {
    commit.isFinal = false;
    // Until `fn` has resolved, no COMMIT was sent: the server rolls back, whatever the error is.
    if (done === undefined || !isInDoubt(rules, error)) throw error;
    if (committed === undefined) commit.isFinal = !rules.idempotent;
    else if (await isCommitted({ committed, commit, reportError }, done.result, context)) return done.result;
    throw error;
  }
  if (done === undefined) throw new TypeError('begin resolved without having called its function to the end');
  return done.result;
}

/** Rolls the transaction of an attempt that was cut off back: its call no longer waits for it, or has begun another one. */
function throwIfCutOff({ signal }: AttemptContext): void {
  if (signal.aborted) throw signal.reason;
}

/** Returns whether a COMMIT may have been applied although it failed with this error. */
function isInDoubt({ retryOn }: CommitRules, error: unknown): boolean {
  const matchers = typeof retryOn === 'string' ? (transactionPolicy.retryOn ?? []) : retryOn;
  if (typeof matchers === 'string') return true;
  try {
    return mayBeApplied(matchers, error) || findMatch(matchers, error) === -1;
  } catch {
    return true; // the call asks the predicate that throws once more, and reports it
  }
}

type Probe<Result> = Pick<Run<unknown, Result>, 'commit' | 'reportError'> &
  Required<Pick<TransactionOptions<Result>, 'committed'>>;

/** Asks the probe. Without a clear answer it is open what became of the COMMIT, so nothing is repeated. */
async function isCommitted<Result>(
  { committed, commit, reportError }: Probe<Result>,
  result: Result,
  context: AttemptContext,
): Promise<boolean> {
  commit.isFinal = true;
  try {
    const answer: unknown = await committed?.(result, context);
    commit.isFinal = answer !== false;
    return answer === true;
  } catch (thrown) {
    report(thrown, reportError);
    return false;
  }
}

interface Gated extends Pick<PolicySettings, 'retryTimeouts'> {
  /** Whether nothing may be repeated now. */
  readonly isFinal: () => boolean;
}

/** Returns the policy with a gate that ends the retrying where a COMMIT is in doubt; what may have been applied is judged by it alone. */
function withGate(policy: Policy, { retryTimeouts, isFinal }: Gated): Policy {
  const { retryIf } = settingsOf(policy);
  return extendPolicy(policy, {
    idempotent: true,
    retryTimeouts,
    retryIf: (error, context) => !isFinal() && (retryIf === undefined || retryIf.test(error, context)),
  });
}

const RULES = { ...rulesWithout('retryIfResult'), committed: A_FUNCTION };

const CURES = {
  retryIfResult: 'Its result is committed already. Throw in the function: the transaction is rolled back.',
};

function readArguments<Result>(begin: unknown, fn: unknown, options: unknown): TransactionOptions<Result> {
  const problems: Problem[] = [];
  const note: Report = (problem) => void problems.push(problem);
  const cure = 'Use retryTransaction((run) => db.transaction(run), async (tx) => …).';
  for (const [path, value] of Object.entries({ begin, fn }))
    if (typeof value !== 'function') note({ path, value, message: 'must be a function', cure });
  const order = 'retryTransaction(begin, fn, policy, options)';
  const read = readOptions(options, RULES, { order, cures: CURES, report: note });
  if (problems.length > 0) throw new InvalidOptionsError(problems, 'retryTransaction');
  return read as TransactionOptions<Result>; // what its rules accept
}
