/** One mistake in one place of the naive broker. */
export interface Mutant {
  readonly name: string;
  /** A text that occurs once in the source of the naive broker. */
  readonly from: string;
  readonly to: string;
}

/** Mistakes that authors of brokers make, one each. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'submits a known id again',
    from: "if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';",
    to: '',
  },
  {
    name: 'forgets a key with its run',
    from: '|| (knownKeys.get(id) ?? 0) > now',
    to: '',
  },
  {
    name: 'remembers ids that the caller did not give',
    from: 'submission.keyed && until > now',
    to: 'until > now',
  },
  {
    name: 'takes the earlier of runAt and delayMs',
    from: 'Math.max(runAt, now + delayMs)',
    to: 'Math.min(runAt, now + delayMs)',
  },
  {
    name: 'counts a delay as an instant',
    from: 'Math.max(runAt, now + delayMs)',
    to: 'Math.max(runAt, delayMs)',
  },
  {
    name: 'claims before it settles',
    from: `const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = claimAgain(claim) ?? claimRuns(claim, now);`,
    to: `const early = claim && (claimAgain(claim) ?? claimRuns(claim, now));
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = early ?? [];`,
  },
  {
    name: 'accepts a settlement of any epoch',
    from: 'answerSettlement(kept?.run, settlement, { isExpired })',
    to: 'answerSettlement(kept?.run, { ...settlement, epoch: kept?.run.epoch ?? 0 }, { isExpired })',
  },
  {
    name: 'lets a cleaner settle a run whose lease is alive',
    from: 'kept !== undefined && kept.leaseUntil <= now',
    to: 'kept !== undefined',
  },
  {
    name: 'does not remember which settlement it accepted',
    from: 'settledBy: settledBy(epoch, event),',
    to: '',
  },
  {
    name: 'puts a released run at the back',
    from: 'for (const kept of released.reverse()) kept.seq = --front;',
    to: '',
  },
  {
    name: 'reverses runs that are released together',
    from: 'released.reverse()',
    to: 'released',
  },
  {
    name: 'takes the payload of a settlement',
    from: '...{ lane, payload, concurrency, isCancelRequested: undefined },',
    to: '...{ lane, concurrency, isCancelRequested: undefined },',
  },
  {
    name: 'ignores the delay of a settlement',
    from: 'delayMs === undefined ? (next.runAt ?? now) : now + Math.max(0, delayMs)',
    to: 'next.runAt ?? now',
  },
  {
    name: 'keeps a cancel request beyond its claim',
    from: '...{ lane, payload, concurrency, isCancelRequested: undefined },',
    to: '...{ lane, payload, concurrency, isCancelRequested },',
  },
  {
    name: 'retries a run that is to be cancelled',
    from: "if (isCancelRequested && !ENDED.includes(next.state)) move(kept, { type: 'cancel', at: now });",
    to: '',
  },
  {
    name: 'claims anew where a reply was lost',
    from: 'claimAgain(claim) ?? claimRuns(claim, now)',
    to: 'claimRuns(claim, now)',
  },
  {
    name: 'takes the requests of all workers for those of one',
    from: 'return replies.get(worker)?.get(requestId);',
    to: 'return [...replies.values()].find((ofWorker) => ofWorker.has(requestId))?.get(requestId);',
  },
  {
    name: 'remembers the latest claim only',
    from: 'const REPLIES_PER_WORKER = 4;',
    to: 'const REPLIES_PER_WORKER = 1;',
  },
  {
    name: 'ignores the limit of a claim',
    from: 'Math.min(laneLimit, limit - chosen.length)',
    to: 'laneLimit',
  },
  {
    name: 'ignores the limit of a lane',
    from: 'Math.min(laneLimit, limit - chosen.length)',
    to: 'limit - chosen.length',
  },
  {
    name: 'promotes a millisecond early',
    from: "run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now",
    to: "run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now + 1",
  },
  {
    name: 'promotes in the order of submission',
    from: '(left.run.runAt ?? 0) - (right.run.runAt ?? 0) || left.seq - right.seq',
    to: 'left.seq - right.seq',
  },
  {
    name: 'starts one run too many of a concurrency key',
    from: 'concurrency !== undefined && count >= concurrency.limit',
    to: 'concurrency !== undefined && count > concurrency.limit',
  },
  {
    name: 'counts a concurrency key within one lane',
    from: 'const taken = new Map<string, number>();\n    for (const [lane, laneLimit] of lanes) {',
    to: 'for (const [lane, laneLimit] of lanes) {\n      const taken = new Map<string, number>();',
  },
  {
    name: 'never frees a slot of a concurrency key',
    from: "if (kept.run.state !== 'started') kept.takesSlot = false;",
    to: '',
  },
  {
    name: 'lets a run that is over the limit take a slot',
    from: 'kept.run.concurrency !== undefined && !isOverLimit',
    to: 'kept.run.concurrency !== undefined',
  },
  {
    name: 'stops a lane at the first run whose key is full',
    from: "if (isFull && concurrency.whenFull === 'wait') continue;",
    to: "if (isFull && concurrency.whenFull === 'wait') break;",
  },
  {
    name: 'shortens a lease by a heartbeat',
    from: 'Math.max(kept.leaseUntil, now + leaseMs)',
    to: 'now + leaseMs',
  },
  {
    name: 'extends the lease of another epoch',
    from: "kept.run.state !== 'started' || kept.run.epoch !== epoch) return 'fenced';",
    to: "kept.run.state !== 'started') return 'fenced';",
  },
  {
    name: 'does not pass a cancel request on by heartbeat',
    from: "return kept.run.isCancelRequested ? 'cancel' : 'ok';",
    to: "return 'ok';",
  },
  {
    name: 'finds expired runs in the order of their submission',
    from: 'expired.sort((left, right) => left.leaseUntil - right.leaseUntil);',
    to: '',
  },
  {
    name: 'filters expired runs by lane after the limit',
    from: '!exceptLanes.includes(run.lane),\n    );',
    to: 'true,\n    ).slice(0, limit).filter(({ run }) => !exceptLanes.includes(run.lane));',
  },
  {
    name: 'cancels a started run without its worker',
    from: "if (kept.run.state !== 'started') {",
    to: 'if (kept.run.epoch >= 0) {',
  },
  {
    name: 'calls no listener of cancel requests',
    from: 'for (const listener of [...listeners]) listener(id);',
    to: '',
  },
  {
    name: 'redrives whatever has ended',
    from: "if (!DEAD_LETTERS.includes(kept.run.state)) return 'refused';",
    to: "if (!ENDED.includes(kept.run.state)) return 'refused';\n    if (!DEAD_LETTERS.includes(kept.run.state)) return 'redriven';",
  },
  {
    name: 'keeps the errors of a redriven run',
    from: 'if (!keepAttempts) kept.run = { ...kept.run, errors: [], previousDelayMs: undefined };',
    to: '',
  },
  {
    name: 'discards a run without counting it',
    from: 'forgotten += 1;',
    to: '',
  },
  {
    name: 'forgets dead letters like completed runs',
    from: '(!DEAD_LETTERS.includes(run.state) || run.isDisposable) &&',
    to: '',
  },
  {
    name: 'forgets a result before it is collected',
    from: 'awaitedUntil <= now,',
    to: 'true,',
  },
  {
    name: 'keeps a result for ever',
    from: 'kept.awaitedUntil = (kept.run.endedAt ?? 0) + (keepResultMs ?? 0);',
    to: 'kept.awaitedUntil = keepResultMs ? Infinity : 0;',
  },
  {
    name: 'lists from the given id on instead of after it',
    from: 'run.id > after &&',
    to: 'run.id >= after &&',
  },
  {
    name: 'filters by any error of a run',
    from: 'run.errors.at(-1)?.name === errorName',
    to: 'run.errors.some(({ name }) => name === errorName)',
  },
  {
    name: 'sends a page however large it is',
    from: "if (payloads === 'include') return sizedPage(found);",
    to: "if (payloads === 'include') return found;",
  },
  {
    name: 'does not wake a waiting worker when a scheduled run is due',
    from: 'Math.min(timeoutAt, nextDueAt(lanes) ?? Infinity) - now',
    to: 'timeoutAt - now',
  },
  {
    name: 'leaves its listener at the signal',
    from: "signal?.removeEventListener('abort', end);",
    to: '',
  },
  {
    name: 'wakes callers that wait for results by every run',
    from: 'if (keepResultMs !== undefined) for (const wait of [...resultWaits]) wait.end();',
    to: 'for (const wait of [...resultWaits]) wait.end();',
  },
  {
    name: 'counts a worker as alive for ever',
    from: '.filter(({ until }) => until > now)',
    to: '',
  },
  {
    name: 'counts runs that are due as not waiting',
    from: "run.state !== 'submitted' && !isDue",
    to: "run.state !== 'submitted'",
  },
  {
    name: 'accepts calls after close',
    from: "if (isClosed) throw closedError('naive');",
    to: '',
  },
  {
    name: 'leaves waits for work pending when it closes',
    from: '[...waits, ...resultWaits]) end();',
    to: '[...resultWaits]) end();',
  },
  {
    name: 'writes a settlement that ends no claim',
    from: "if (next.state === 'started' || next.state === 'unsubmitted') throw unsettledError(id, next.state);",
    to: "if (next.state === 'unsubmitted') throw unsettledError(id, next.state);",
  },
];
