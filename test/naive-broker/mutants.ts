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
    from: 'keepableMs(Math.max(runAt, now + delayMs))',
    to: 'keepableMs(Math.min(runAt, now + delayMs))',
  },
  {
    name: 'counts a delay as an instant',
    caughtBy: 'delayMs counts from the clock of the broker',
    from: 'keepableMs(Math.max(runAt, now + delayMs))',
    to: 'keepableMs(Math.max(runAt, delayMs))',
  },
  {
    name: 'claims before it settles',
    caughtBy: 'claim comes after the settlements of the same call, so that one call can do both for one run',
    from: `const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = recallReply(replies, claim) ?? claimRuns(claim, now);`,
    to: `const early = claim && (recallReply(replies, claim) ?? claimRuns(claim, now));
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = early ?? [];`,
  },
  {
    name: 'ignores a limit of due runs',
    caughtBy: 'a limit of due runs leaves the others scheduled, and says that they are due',
    from: 'Math.max(limit, unused)',
    to: 'Infinity',
  },
  {
    name: 'leaves room where only due runs beyond their limit could take it',
    caughtBy: 'due runs beyond their limit fill the room that nothing else takes',
    from: 'Math.max(limit, unused)',
    to: 'limit',
  },
  {
    name: 'starts due runs within their limit after all others',
    caughtBy: 'a limit of due runs takes so many, earliest due first, before those that wait',
    from: `    moveToFront(first);
`,
    to: '',
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
    from: 'settled.settledBy = settledBy(epoch, event);',
    to: '',
  },
  {
    name: 'puts a released run at the back',
    caughtBy: 'settle puts a released run at the front of its lane, uncharged',
    from: `    moveToFront(released);
`,
    to: '',
  },
  {
    name: 'reverses runs that are released together',
    caughtBy: 'settle keeps the order of runs that are released together',
    from: '[...moved].reverse()',
    to: 'moved',
  },
  {
    name: 'takes the payload of a settlement',
    caughtBy: 'a settlement without the payload keeps payload, lane and concurrency by: stall',
    from: 'const settled = withIdentity(copyRun(next), run);',
    to: 'const settled = withIdentity(copyRun(next), { ...run, payload: next.payload });',
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
    from: 'kept.run = isEnd(state) ? groups.join(next, group) : next;',
    to: `const { isCancelRequested } = kept.run;
    kept.run = { ...(isEnd(state) ? groups.join(next, group) : next), isCancelRequested };`,
  },
  {
    name: 'retries a run that is to be cancelled',
    caughtBy: 'cancel request ends the run after a retry for later: no further attempt starts',
    from: "return isCancelled ? movedRun(settled, { type: 'cancel', at: now }) : settled;",
    to: 'return settled;',
  },
  {
    name: 'changes createdAt by a settlement',
    caughtBy: 'createdAt does not change by claim, release, retry, promotion and redrive',
    from: 'settled.settledBy = settledBy(epoch, event);',
    to: `settled.settledBy = settledBy(epoch, event);
  settled.createdAt = now;`,
  },
  {
    name: 'claims anew where a reply was lost',
    caughtBy: 'repeated claim returns the same runs and epochs, and charges nothing',
    from: 'recallReply(replies, claim) ?? claimRuns(claim, now)',
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
    from: 'const MAX_REPLIES_PER_WORKER = 4;',
    to: 'const MAX_REPLIES_PER_WORKER = 1;',
  },
  {
    name: 'ignores the limit of a claim',
    caughtBy: 'claim takes at most its own limit in total, earlier lanes first',
    from: 'Math.min(laneLimit, claim.limit - claimed.length, ',
    to: 'Math.min(laneLimit, ',
  },
  {
    name: 'ignores the limit of a lane',
    caughtBy: 'claim takes at most the limit of a lane from it',
    from: 'Math.min(laneLimit, claim.limit',
    to: 'Math.min(claim.limit',
  },
  {
    name: 'promotes a millisecond early',
    caughtBy: 'runAt is never early by the clock of the broker',
    from: `const due = inLane(lane, 'scheduled').filter(({ run }) => (run.runAt ?? 0) <= now);
    due.sort`,
    to: `const due = inLane(lane, 'scheduled').filter(({ run }) => (run.runAt ?? 0) <= now + 1);
    due.sort`,
  },
  {
    name: 'promotes in the order of submission',
    caughtBy: 'due runs are promoted in the order of runAt, behind the runs that already wait',
    from: `    due.sort((left, right) => (left.run.runAt ?? 0) - (right.run.runAt ?? 0));
`,
    to: '',
  },
  {
    name: 'starts one run too many of a concurrency key',
    caughtBy: 'whenFull wait starts at most as many runs of a key as its limit',
    from: 'slotsTaken(key) >= limit',
    to: 'slotsTaken(key) > limit',
  },
  {
    name: 'counts a concurrency key within one lane',
    caughtBy: 'whenFull wait applies across the lanes of one claim',
    from: 'hasSlot: kept.slots.length > 0, slotsTaken }',
    to: 'hasSlot: kept.slots.length > 0, slotsTaken: (key) => [...runs.values()].filter(({ run, slots }) => run.lane === lane && slots.includes(key)).length }',
  },
  {
    name: 'gives no limit of a task to runs without one',
    caughtBy:
      'a claim that limits its lane starts at most as many runs, also of those that were submitted without a limit',
    from: 'run.concurrency ?? { key: run.lane };',
    to: "run.concurrency ?? { key: '' };",
  },
  {
    name: 'keeps the limit that runs were submitted with',
    caughtBy: 'a claim that limits its lane lowers the limit that runs were submitted with',
    from: '{ ...run.concurrency, key, limit, whenFull }',
    to: '{ key, limit, whenFull, ...run.concurrency }',
  },
  {
    name: 'gives the limit of a task to runs with keys of their own',
    caughtBy: 'a claim that limits its lane leaves runs with other keys theirs',
    from: 'if (key !== run.lane || (',
    to: 'if ((',
  },
  {
    name: 'never frees a slot of a concurrency key',
    caughtBy: 'whenFull wait has a free slot again after: complete',
    from: "if (state !== 'started') kept.slots = keepsSlot ? kept.slots.slice(0, 1) : [];",
    to: "if (state !== 'started') kept.slots = kept.slots.slice(0, 1);",
  },
  {
    name: 'lets a run that is over the limit take a slot',
    caughtBy: 'whenFull claim takes no slot for a run over the limit',
    from: 'if (full === undefined && key !== undefined) kept.slots',
    to: 'if (key !== undefined) kept.slots',
  },
  {
    name: 'stops a lane at the first run whose key is full',
    caughtBy: 'whenFull wait does not delay runs of other keys, or without a key',
    from: "if (full?.whenFull === 'wait') continue;",
    to: "if (full?.whenFull === 'wait') break;",
  },
  {
    name: 'counts no run with a key of its own in the limit of its lane',
    caughtBy: 'a run with a key of its own needs a slot of its lane, too, where the claim limits that',
    from: 'ofTask === undefined ? [key] : [key, lane]',
    to: '[key]',
  },
  {
    name: 'lets a run that waits for its lane take a slot of its own key',
    caughtBy: 'a run that waits for its lane takes no slot of its own key',
    from: "if (full?.whenFull === 'wait') continue;",
    to: `if (full?.whenFull === 'wait' && full.key === lane && kept.run.concurrency) kept.slots = [kept.run.concurrency.key];
        if (full?.whenFull === 'wait') continue;`,
  },
  {
    name: 'never frees a slot that a run with a key of its own has of its lane',
    caughtBy: 'a run with a key of its own frees the slots of both by: retry',
    from: 'keepsSlot ? kept.slots.slice(0, 1) : [];',
    to: 'keepsSlot ? kept.slots : kept.slots.slice(1);',
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
    from: `|| run.epoch !== epoch) return 'fenced';
  return run.isCancel`,
    to: `) return 'fenced';
  return run.isCancel`,
  },
  {
    name: 'does not pass a cancel request on by heartbeat',
    caughtBy: 'heartbeat answers cancel while there is a cancel request',
    from: "return run.isCancelRequested === true ? 'cancel' : 'ok';",
    to: "return 'ok';",
  },
  {
    name: 'finds expired runs in the order of their submission',
    caughtBy: 'findExpired returns the leases that expired first, up to its limit',
    from: '      .sort((left, right) => left.leaseUntil - right.leaseUntil);',
    to: ';',
  },
  {
    name: 'filters expired runs by lane after the limit',
    caughtBy: 'findExpired with lanes returns the leases that expired first, up to its limit',
    from: `      .filter(({ run }) => !exceptLanes.includes(run.lane))
      .sort((left, right) => left.leaseUntil - right.leaseUntil);`,
    to: `      .sort((left, right) => left.leaseUntil - right.leaseUntil)
      .slice(0, limit)
      .filter(({ run }) => !exceptLanes.includes(run.lane));`,
  },
  {
    name: 'cancels a started run without its worker',
    caughtBy: 'cancel requests the cancellation of a started run, which keeps running',
    from: "else if (next.state === 'started') kept.run = { ...kept.run, isCancelRequested: true };",
    to: "else if (next.state === 'started') put(kept, changedRun(kept.run, { ...next, state: 'cancelled' }));",
  },
  {
    name: 'extends leases that it is only asked about',
    caughtBy: 'heartbeat of 0 ms only reads: it extends no lease, revives none, and writes no heartbeatAt',
    from: "answer === 'fenced' || leaseMs <= 0",
    to: "answer === 'fenced'",
  },
  {
    name: 'discards a run without counting it',
    caughtBy: 'discard frees the id for another run',
    from: 'counts.forgotten += 1;',
    to: '',
  },
  {
    name: 'forgets dead letters like completed runs',
    caughtBy: 'keepResultMs changes nothing for a dead letter, and applies to its redrive',
    from: '!isKeptLetter(kept.run) && ',
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
    from: 'kept.awaitedUntil = endedAt + (keepResultMs ?? 0);',
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
    from: "if (disposable === 'omit' && ",
    to: "if (disposable !== 'omit' && disposable === 'include' && ",
  },
  {
    name: 'filters by any error of a run',
    caughtBy: 'list filters by the name of the latest error',
    from: 'run.errors.at(-1)?.name !== errorName',
    to: '!run.errors.some(({ name }) => name === errorName)',
  },
  {
    name: 'sends a page however large it is',
    caughtBy: 'runs of a mebibyte are listed in pages, and only one without next is the last',
    from: "const runs = sizedPage(payloads === 'omit' ? listed.map(withoutTexts) : listed);",
    to: "const runs = payloads === 'omit' ? listed.map(withoutTexts) : listed;",
  },
  {
    name: 'does not wake a waiting worker when a scheduled run is due',
    caughtBy: 'a wait for work ends when a scheduled run is due',
    from: 'else if (at < Infinity) cancelDue = clock.setTimer(check, at - now);',
    to: '',
  },
  {
    name: 'leaves its listener at the signal',
    caughtBy: 'a wait for work removes its abort listener after: work',
    from: "signal?.removeEventListener('abort', finish);",
    to: '',
  },
  {
    name: 'wakes callers that wait for results by every run',
    caughtBy: 'a wait for results does not end by the completion of a run without keepResultMs',
    from: 'if (isEnd(state) && keepResultMs !== undefined) onResult();',
    to: 'if (isEnd(state)) onResult();',
  },
  {
    name: 'counts a worker as alive for ever',
    caughtBy: 'attend forgets a worker after its ttlMs',
    from: 'if (attendance !== undefined) await register(notes, attendance);',
    to: 'if (attendance !== undefined) await register(notes, { ...attendance, ttlMs: 1e12 });',
  },
  {
    name: 'counts runs that are due as not waiting',
    caughtBy: 'attend counts scheduled runs that are due',
    from: "inLane(lane, 'submitted').length + due.length",
    to: "inLane(lane, 'submitted').length",
  },
  {
    name: 'accepts calls after close',
    caughtBy: 'close makes every later call reject with BROKER_CLOSED',
    from: '    gate.pass(() => {',
    to: '    Promise.resolve().then(() => {',
  },
  {
    name: 'leaves waits for work pending when it closes',
    caughtBy: 'close waits for calls in flight, and ends waits for work',
    from: `      for (const { end } of waits) end();
      return`,
    to: `      for (const { end, forResults } of waits) if (forResults) end();
      return`,
  },
  {
    name: 'writes a settlement that ends no claim',
    caughtBy: 'isRefusal is true for a settlement that does not end its claim',
    from: `    refuseUnsettled(settlements);
`,
    to: '',
  },
  {
    name: 'counts starts in windows that begin anew',
    caughtBy: 'reserve grants no burst of two windows at the edge of one',
    from: 'const first = bucketOf(at - windowMs + 1, windowMs);',
    to: 'const first = bucketOf(Math.floor(at / windowMs) * windowMs, windowMs);',
  },
  {
    name: 'counts starts that it does not grant',
    caughtBy: 'reserve counts nothing for what it does not grant',
    from: 'return { counts: before, reserved: { granted, availableAt } };',
    to: `const counts = before && { ...before, buckets: addStarts(counted, bucketOf(now, windowMs), count) };
    return { counts, reserved: { granted, availableAt } };`,
  },
  {
    name: 'counts the starts of all keys together',
    caughtBy: 'reserve answers several requests of one key in order, in one call and in the next',
    from: 'answerStarts(startCounts.get(request.key), request, now)',
    to: 'answerStarts([...startCounts.values()].at(-1), request, now)',
  },
  {
    name: 'forgets the starts of a key whose window changes',
    caughtBy: 'reserve counts the starts so far in a longer window of the same key',
    from: 'if (before.windowMs === windowMs) return before;',
    to: 'if (before.windowMs !== windowMs) return { latestAt: now, buckets: [] };',
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
    from: 'if (kept <= most) break;',
    to: 'if (kept <= 0) break;',
  },
  {
    name: 'grants a negative number after the limit was lowered',
    caughtBy: 'reserve counts by the new limit of a key from now on',
    from: 'now < latestAt || left < least ? 0 : Math.min(count, left)',
    to: 'now < latestAt ? 0 : Math.min(count, limit - sumOf(counted))',
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
    from: 'left >= least ? latestAt : freeAt(counted, limit - least, windowMs)',
    to: 'left >= least ? latestAt : freeAt(counted, limit - 1, windowMs)',
  },
  {
    name: 'takes nothing away',
    caughtBy: 'reserve frees the starts that a correction takes away, and no more than were granted then',
    from: 'Math.max(0, (known?.[1] ?? 0) + count)',
    to: 'Math.max(known?.[1] ?? 0, (known?.[1] ?? 0) + count)',
  },
  {
    name: 'takes away more starts than were granted',
    caughtBy: 'reserve frees the starts that a correction takes away, and no more than were granted then',
    from: 'Math.max(0, (known?.[1] ?? 0) + count)',
    to: '(known?.[1] ?? 0) + count',
  },
  {
    name: 'adds no starts',
    caughtBy:
      'reserve counts the starts that a correction adds as of when they were granted, also beyond the limit',
    from: 'Math.max(0, (known?.[1] ?? 0) + count)',
    to: 'Math.max(0, (known?.[1] ?? 0) + Math.min(0, count))',
  },
  {
    name: 'counts the starts that a correction adds as of now',
    caughtBy:
      'reserve counts the starts that a correction adds as of when they were granted, also beyond the limit',
    from: 'const bucket = bucketOf(grantedAt, windowMs);',
    to: 'const bucket = bucketOf(count > 0 ? grantedAt + 60_000 : grantedAt, windowMs);',
  },
  {
    name: 'corrects the starts of another key',
    caughtBy: 'reserve corrects the starts of one key alone',
    from: 'if (counts !== undefined) startCounts.set(request.key, counts);',
    to: `const keys = 'grantedAt' in request ? [...startCounts.keys()] : [request.key];
        if (counts !== undefined) for (const key of keys) startCounts.set(key, counts);`,
  },
];
