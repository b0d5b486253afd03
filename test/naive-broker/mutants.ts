/** One mistake in one place of the naive broker. */
export interface Mutant {
  readonly name: string;
  /** A case of the contract that fails because of it. */
  readonly caughtBy: string;
  /** A text that occurs once in the source of the naive broker. */
  readonly from: string;
  readonly to: string;
}

/** Mistakes that authors of brokers make, one each. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'submits a known id again',
    caughtBy: 'submit answers exists to an id that it keeps, and leaves that run as it is',
    from: "if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';",
    to: '',
  },
  {
    name: 'forgets a key with its run',
    caughtBy: 'a key stays known when its run has been forgotten',
    from: '|| (knownKeys.get(id) ?? 0) > now',
    to: '',
  },
  {
    name: 'remembers ids that the caller did not give',
    caughtBy: 'an id that is not keyed is forgotten with its run: undefined',
    from: 'submission.keyed && until > now',
    to: 'until > now',
  },
  {
    name: 'takes the earlier of runAt and delayMs',
    caughtBy: 'runAt is never early by the clock of the broker',
    from: 'runAt: keepableMs(Math.max(runAt, now + delayMs))',
    to: 'runAt: keepableMs(Math.min(runAt, now + delayMs))',
  },
  {
    name: 'counts a delay as an instant',
    caughtBy: 'delayMs counts from the clock of the broker',
    from: 'runAt: keepableMs(Math.max(runAt, now + delayMs))',
    to: 'runAt: keepableMs(Math.max(runAt, delayMs))',
  },
  {
    name: 'claims before it settles',
    caughtBy: 'claim comes after the settlements of the same call, so that one call can do both for one run',
    from: `const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = claimAgain(claim) ?? claimRuns(claim, now);`,
    to: `const early = claim && (claimAgain(claim) ?? claimRuns(claim, now));
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = early ?? [];`,
  },
  {
    name: 'ignores a limit of due runs',
    caughtBy: 'a limit of due runs leaves the others scheduled, and says that they are due',
    from: 'Math.max(dueLimit, left - waitingIn(lane).length)',
    to: 'Infinity',
  },
  {
    name: 'leaves room where only due runs beyond their limit could take it',
    caughtBy: 'due runs beyond their limit fill the room that nothing else takes',
    from: 'Math.max(dueLimit, left - waitingIn(lane).length)',
    to: 'dueLimit',
  },
  {
    name: 'starts due runs within their limit after all others',
    caughtBy: 'a limit of due runs takes so many, earliest due first, before those that wait',
    from: "moveToFront(promote(lane, now, { limit, end: 'front' }));",
    to: "promote(lane, now, { limit, end: 'front' });",
  },
  {
    name: 'accepts a settlement of any epoch',
    caughtBy: 'settle fences a late worker while another one holds the lease',
    from: 'answerSettlement(kept?.run, settlement, { isExpired })',
    to: 'answerSettlement(kept?.run, { ...settlement, epoch: kept?.run.epoch ?? 0 }, { isExpired })',
  },
  {
    name: 'lets a cleaner settle a run whose lease is alive',
    caughtBy: 'settle fences a cleaner while the lease is valid',
    from: 'kept !== undefined && kept.leaseUntil <= now',
    to: 'kept !== undefined',
  },
  {
    name: 'does not remember which settlement it accepted',
    caughtBy: 'settle answers already for a settlement whose reply was lost',
    from: 'settledBy: settledBy(epoch, event),',
    to: '',
  },
  {
    name: 'puts a released run at the back',
    caughtBy: 'settle puts a released run at the front of its lane, uncharged',
    from: 'for (const kept of released.reverse()) kept.seq = --front;',
    to: '',
  },
  {
    name: 'reverses runs that are released together',
    caughtBy: 'settle keeps the order of runs that are released together',
    from: 'released.reverse()',
    to: 'released',
  },
  {
    name: 'takes the payload of a settlement',
    caughtBy: 'a settlement without the payload keeps payload, lane and concurrency by: stall',
    from: '...{ lane, payload, concurrency, fairnessKey, retry, origin, isCancelRequested: undefined },',
    to: '...{ lane, concurrency, fairnessKey, retry, origin, isCancelRequested: undefined },',
  },
  {
    name: 'ignores the delay of a settlement',
    caughtBy: 'a settlement with delayMs is due that long after it is written, whatever runAt says',
    from: 'delayMs === undefined ? (next.runAt ?? now) : now + Math.max(0, delayMs)',
    to: 'next.runAt ?? now',
  },
  {
    name: 'keeps a cancel request beyond its claim',
    caughtBy: 'cancel request ends with its claim: a redriven run has none',
    from: '...{ lane, payload, concurrency, fairnessKey, retry, origin, isCancelRequested: undefined },',
    to: '...{ lane, payload, concurrency, fairnessKey, retry, origin, isCancelRequested },',
  },
  {
    name: 'retries a run that is to be cancelled',
    caughtBy: 'cancel request ends the run after a retry for later: no further attempt starts',
    from: "if (isCancelRequested && !ENDED.includes(next.state)) move(kept, { type: 'cancel', at: now });",
    to: '',
  },
  {
    name: 'changes createdAt by a settlement',
    caughtBy: 'createdAt does not change by claim, release, retry, promotion and redrive',
    from: 'settledBy: settledBy(epoch, event),',
    to: '...{ settledBy: settledBy(epoch, event), createdAt: now },',
  },
  {
    name: 'claims anew where a reply was lost',
    caughtBy: 'repeated claim returns the same runs and epochs, and charges nothing',
    from: 'claimAgain(claim) ?? claimRuns(claim, now)',
    to: 'claimRuns(claim, now)',
  },
  {
    name: 'takes the requests of all workers for those of one',
    caughtBy: 'repeated claim is identified by worker and request id together',
    from: 'return replies.get(worker)?.get(requestId);',
    to: 'return [...replies.values()].find((ofWorker) => ofWorker.has(requestId))?.get(requestId);',
  },
  {
    name: 'remembers the latest claim only',
    caughtBy: 'repeated claim works for both claims that a worker has outstanding',
    from: 'const REPLIES_PER_WORKER = 4;',
    to: 'const REPLIES_PER_WORKER = 1;',
  },
  {
    name: 'ignores the limit of a claim',
    caughtBy: 'claim takes at most its own limit in total, earlier lanes first',
    from: 'Math.min(laneLimit, limit - chosen.length)',
    to: 'laneLimit',
  },
  {
    name: 'ignores the limit of a lane',
    caughtBy: 'claim takes at most the limit of a lane from it',
    from: 'Math.min(laneLimit, limit - chosen.length)',
    to: 'limit - chosen.length',
  },
  {
    name: 'promotes a millisecond early',
    caughtBy: 'runAt is never early by the clock of the broker',
    from: "run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now",
    to: "run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now + 1",
  },
  {
    name: 'promotes in the order of submission',
    caughtBy: 'due runs are promoted in the order of runAt, behind the runs that already wait',
    from: '(left.run.runAt ?? 0) - (right.run.runAt ?? 0) || left.seq - right.seq',
    to: 'left.seq - right.seq',
  },
  {
    name: 'starts one run too many of a concurrency key',
    caughtBy: 'whenFull wait starts at most as many runs of a key as its limit',
    from: 'countOf(concurrency.key) >= concurrency.limit',
    to: 'countOf(concurrency.key) > concurrency.limit',
  },
  {
    name: 'counts a concurrency key within one lane',
    caughtBy: 'whenFull wait applies across the lanes of one claim',
    from: 'const taken = new Map<string, number>();\n    for (const [lane, laneLimit] of lanes) {',
    to: 'for (const [lane, laneLimit] of lanes) {\n      const taken = new Map<string, number>();',
  },
  {
    name: 'gives no limit of a task to runs without one',
    caughtBy:
      'a claim that limits its lane starts at most as many runs, also of those that were submitted without a limit',
    from: '?? { key: lane };',
    to: "?? { key: '' };",
  },
  {
    name: 'keeps the limit that runs were submitted with',
    caughtBy: 'a claim that limits its lane lowers the limit that runs were submitted with',
    from: '...kept.run.concurrency, key, ...ofTask }',
    to: '...ofTask, key, ...kept.run.concurrency }',
  },
  {
    name: 'gives the limit of a task to runs with keys of their own',
    caughtBy: 'a claim that limits its lane leaves runs with other keys theirs',
    from: 'if (key === lane) kept.run',
    to: 'kept.run',
  },
  {
    name: 'never frees a slot of a concurrency key',
    caughtBy: 'whenFull wait has a free slot again after: complete',
    from: "if (kept.run.state !== 'started' && !keepsSlot) kept.takesSlot = false;",
    to: '',
  },
  {
    name: 'lets a run that is over the limit take a slot',
    caughtBy: 'whenFull claim takes no slot for a run over the limit',
    from: 'kept.takesSlot || (concurrency !== undefined && !isOverLimit)',
    to: 'kept.takesSlot || concurrency !== undefined',
  },
  {
    name: 'stops a lane at the first run whose key is full',
    caughtBy: 'whenFull wait does not delay runs of other keys, or without a key',
    from: "if (isKeyFull && concurrency.whenFull === 'wait') continue;",
    to: "if (isKeyFull && concurrency.whenFull === 'wait') break;",
  },
  {
    name: 'counts no run with a key of its own in the limit of its lane',
    caughtBy: 'a run with a key of its own needs a slot of its lane, too, where the claim limits that',
    from: 'const takesLane = ofLane !== undefined && !isOverLimit;',
    to: 'const takesLane = false;',
  },
  {
    name: 'lets a run that waits for its lane take a slot of its own key',
    caughtBy: 'a run that waits for its lane takes no slot of its own key',
    from: "if (isLaneFull && ofLane.whenFull === 'wait') continue;",
    to: "if (isLaneFull && ofLane.whenFull === 'wait') {\n          kept.takesSlot = true;\n          continue;\n        }",
  },
  {
    name: 'never frees a slot that a run with a key of its own has of its lane',
    caughtBy: 'a run with a key of its own frees the slots of both by: retry',
    from: "if (kept.run.state !== 'started') kept.takesLane = false;",
    to: '',
  },
  {
    name: 'shortens a lease by a heartbeat',
    caughtBy: 'heartbeat never shrinks a lease',
    from: 'Math.max(kept.leaseUntil, now + leaseMs)',
    to: 'now + leaseMs',
  },
  {
    name: 'extends the lease of another epoch',
    caughtBy: 'heartbeat is fenced for an earlier epoch, and does not extend the current lease',
    from: "kept.run.state !== 'started' || kept.run.epoch !== epoch) return 'fenced';",
    to: "kept.run.state !== 'started') return 'fenced';",
  },
  {
    name: 'does not pass a cancel request on by heartbeat',
    caughtBy: 'heartbeat answers cancel while there is a cancel request',
    from: "return kept.run.isCancelRequested ? 'cancel' : 'ok';",
    to: "return 'ok';",
  },
  {
    name: 'finds expired runs in the order of their submission',
    caughtBy: 'findExpired returns the leases that expired first, up to its limit',
    from: 'expired.sort((left, right) => left.leaseUntil - right.leaseUntil);',
    to: '',
  },
  {
    name: 'filters expired runs by lane after the limit',
    caughtBy: 'findExpired with lanes returns the leases that expired first, up to its limit',
    from: '!exceptLanes.includes(run.lane),\n    );',
    to: 'true,\n    ).slice(0, limit).filter(({ run }) => !exceptLanes.includes(run.lane));',
  },
  {
    name: 'cancels a started run without its worker',
    caughtBy: 'cancel requests the cancellation of a started run, which keeps running',
    from: "else if (next.state === 'started') requestCancel(id);",
    to: "else if (next.state === 'started') write(kept, { ...next, state: 'cancelled' });",
  },
  {
    name: 'extends leases that it is only asked about',
    caughtBy: 'heartbeat of 0 ms only reads: it extends no lease, revives none, and writes no heartbeatAt',
    from: 'if (leaseMs > 0) extend();',
    to: 'extend();',
  },
  {
    name: 'discards a run without counting it',
    caughtBy: 'discard frees the id for another run',
    from: 'forgotten += 1;',
    to: '',
  },
  {
    name: 'forgets dead letters like completed runs',
    caughtBy: 'keepResultMs changes nothing for a dead letter, and applies to its redrive',
    from: '!isDead(kept) && ',
    to: '',
  },
  {
    name: 'forgets a result before it is collected',
    caughtBy: 'keepResultMs keeps a completed run until its result is collected',
    from: ' && kept.awaitedUntil <= now',
    to: '',
  },
  {
    name: 'keeps a result for ever',
    caughtBy: 'keepResultMs ends after that long, collected or not',
    from: 'kept.awaitedUntil = (kept.run.endedAt ?? 0) + (keepResultMs ?? 0);',
    to: 'kept.awaitedUntil = keepResultMs ? Infinity : 0;',
  },
  {
    name: 'lists from the last run of the page before on instead of after it',
    caughtBy: 'list pages by limit and after',
    from: 'after === undefined || isBefore(after, at)',
    to: 'after === undefined || !isBefore(at, after)',
  },
  {
    name: 'lists waiting runs by id',
    caughtBy: 'list returns submitted runs by lane, the one that is claimed next first',
    from: "return ['waiting', run.lane, seq];",
    to: "return ['waiting', run.id];",
  },
  {
    name: 'lists scheduled runs in the order in which they were scheduled',
    caughtBy: 'list returns scheduled runs by lane, the one that is due first before the others',
    from: "['scheduled', run.lane, run.runAt ?? 0, seq]",
    to: "['scheduled', run.lane, seq]",
  },
  {
    name: 'takes every cursor for its own',
    caughtBy: 'list refuses what is not the next of a page of the same state and lane',
    from: "const after = readCursor('naive', query);",
    to: 'const after = query.after === undefined ? undefined : (JSON.parse(query.after.slice(8)) as [string, Position])[1];',
  },
  {
    name: 'lists disposable runs though they are to be omitted',
    caughtBy: 'list omits failed runs that are disposable if asked to',
    from: "disposable !== 'omit' ||",
    to: "disposable !== 'omit' || true ||",
  },
  {
    name: 'filters by any error of a run',
    caughtBy: 'list filters by the name of the latest error',
    from: 'run.errors.at(-1)?.name === errorName',
    to: 'run.errors.some(({ name }) => name === errorName)',
  },
  {
    name: 'sends a page however large it is',
    caughtBy: 'runs of a mebibyte are listed in pages, and only one without next is the last',
    from: '? sizedPage(first)',
    to: '? first',
  },
  {
    name: 'does not wake a waiting worker when a scheduled run is due',
    caughtBy: 'a wait for work ends when a scheduled run is due',
    from: 'Math.min(timeoutAt, nextDueAt(lanes, now) ?? Infinity) - now',
    to: 'timeoutAt - now',
  },
  {
    name: 'leaves its listener at the signal',
    caughtBy: 'a wait for work removes its abort listener after: work',
    from: "signal?.removeEventListener('abort', end);",
    to: '',
  },
  {
    name: 'wakes callers that wait for results by every run',
    caughtBy: 'a wait for results does not end by the completion of a run without keepResultMs',
    from: 'if (keepResultMs !== undefined) onResult();',
    to: 'onResult();',
  },
  {
    name: 'counts a worker as alive for ever',
    caughtBy: 'attend forgets a worker after its ttlMs',
    from: '.filter(({ until }) => until > now)',
    to: '',
  },
  {
    name: 'counts runs that are due as not waiting',
    caughtBy: 'attend counts scheduled runs that are due',
    from: "run.state !== 'submitted' && !isDue",
    to: "run.state !== 'submitted'",
  },
  {
    name: 'accepts calls after close',
    caughtBy: 'close makes every later call reject with BROKER_CLOSED',
    from: "if (isClosed) throw closedError('naive');",
    to: '',
  },
  {
    name: 'leaves waits for work pending when it closes',
    caughtBy: 'close waits for calls in flight, and ends waits for work',
    from: '[...waits, ...resultWaits]) end();',
    to: '[...resultWaits]) end();',
  },
  {
    name: 'writes a settlement that ends no claim',
    caughtBy: 'isRefusal is true for a settlement that does not end its claim',
    from: "if (next.state === 'started' || next.state === 'unsubmitted') throw unsettledError(id, next.state);",
    to: "if (next.state === 'unsubmitted') throw unsettledError(id, next.state);",
  },
  {
    name: 'counts starts in windows that begin anew',
    caughtBy: 'reserve grants no burst of two windows at the edge of one',
    from: 'grant.key === key && grant.at > now - windowMs',
    to: 'grant.key === key && Math.floor(grant.at / windowMs) === Math.floor(now / windowMs)',
  },
  {
    name: 'counts starts that it does not grant',
    caughtBy: 'reserve counts nothing for what it does not grant',
    from: 'if (granted > 0) grants.push({ key, at: now, starts: granted });',
    to: 'grants.push({ key, at: now, starts: count });',
  },
  {
    name: 'counts the starts of all keys together',
    caughtBy: 'reserve answers several requests of one key in order, in one call and in the next',
    from: 'grant.key === key && grant.at > now - windowMs',
    to: 'grant.at > now - windowMs',
  },
  {
    name: 'forgets the starts of a key whose window changes',
    caughtBy: 'reserve counts the starts so far in a longer window of the same key',
    from: 'const left = limit - sumOf(counted());',
    to: `const old = grants.findIndex((grant) => grant.key === key && Reflect.get(grant, 'windowMs') !== windowMs);
    if (old >= 0) grants.length = old;
    const left = limit - sumOf(counted());
    if (left > 0) grants.push(Object.assign({ key, at: now, starts: 0 }, { windowMs }));`,
  },
  {
    name: 'grants all or nothing',
    caughtBy: 'reserve grants starts up to the limit, and no more',
    from: 'left < least ? 0',
    to: 'left < count ? 0',
  },
  {
    name: 'says that one more can be granted when the latest start leaves the window',
    caughtBy: 'reserve grants no burst of two windows at the edge of one',
    from: 'return kept <= limit - least;',
    to: 'return kept === 0;',
  },
  {
    name: 'grants a negative number after the limit was lowered',
    caughtBy: 'reserve counts by the new limit of a key from now on',
    from: 'left < least ? 0 : Math.min(count, left)',
    to: 'Math.min(count, left)',
  },
  {
    name: 'grants fewer starts than are of use',
    caughtBy: 'reserve grants nothing below the least number of use, and counts nothing then',
    from: 'left < least ? 0',
    to: 'left < 1 ? 0',
  },
  {
    name: 'says when one can be granted to who needs more',
    caughtBy: 'reserve says when the least number of use can be granted',
    from: 'return kept <= limit - least;',
    to: 'return kept < limit;',
  },
  {
    name: 'takes nothing away',
    caughtBy: 'reserve frees the starts that a correction takes away, and no more than were granted then',
    from: 'Math.max(0, known.starts + count)',
    to: 'Math.max(known.starts, known.starts + count)',
  },
  {
    name: 'takes away more starts than were granted',
    caughtBy: 'reserve frees the starts that a correction takes away, and no more than were granted then',
    from: 'Math.max(0, known.starts + count)',
    to: 'known.starts + count',
  },
  {
    name: 'adds no starts',
    caughtBy:
      'reserve counts the starts that a correction adds as of when they were granted, also beyond the limit',
    from: 'Math.max(0, known.starts + count)',
    to: 'Math.max(0, known.starts + Math.min(0, count))',
  },
  {
    name: 'counts the starts that a correction adds as of now',
    caughtBy:
      'reserve counts the starts that a correction adds as of when they were granted, also beyond the limit',
    from: 'if (known !== undefined) known.starts = Math.max(0, known.starts + count);',
    to: 'if (known !== undefined && count < 0) known.starts = Math.max(0, known.starts + count); if (count > 0) grants.push({ key, at: grantedAt + 60_000, starts: count });',
  },
  {
    name: 'corrects the starts of another key',
    caughtBy: 'reserve corrects the starts of one key alone',
    from: 'const known = grantAt(key, grantedAt);',
    to: 'const known = grants.find((grant) => grant.at === grantedAt);',
  },
];
