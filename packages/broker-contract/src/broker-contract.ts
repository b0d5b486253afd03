import type { BrokerCase, CasesByName } from './broker-case.ts';
import { defineCases } from './broker-case.ts';
import { cancelCases } from './cancel/cancel.ts';
import { cancelRacesCases } from './cancel/cancel-races.ts';
import { cancelRequestsCases } from './cancel/cancel-requests.ts';
import { changeCases } from './change/change.ts';
import { changeWithNotesCases } from './change/change-with-notes.ts';
import { batchesCases } from './claim/batches.ts';
import { claimCases } from './claim/claim.ts';
import { concurrencyClaimCases } from './claim/concurrency-claim.ts';
import { concurrencyOfBothCases } from './claim/concurrency-of-both.ts';
import { concurrencyOfTaskCases } from './claim/concurrency-of-task.ts';
import { concurrencyOrderCases } from './claim/concurrency-order.ts';
import { concurrencyWaitCases } from './claim/concurrency-wait.ts';
import { dueLimitsCases } from './claim/due-limits.ts';
import { payloadCases } from './claim/payloads.ts';
import { repeatedClaimCases } from './claim/repeated-claim.ts';
import { discardCases } from './ended/discard.ts';
import { listKeepKeysCases } from './ended/keep-keys.ts';
import { keepResultsCases } from './ended/keep-results.ts';
import { redriveCases } from './ended/redrive.ts';
import { redriveLaterCases } from './ended/redrive-later.ts';
import { listRetentionCases } from './ended/retention.ts';
import { passedTurnsCases } from './fairness/passed-turns.ts';
import { fairnessCases } from './fairness/turns.ts';
import { fairnessAndConcurrencyCases } from './fairness/turns-and-concurrency.ts';
import { fairnessAndLimitsCases, fairnessFiguresCases } from './fairness/turns-and-limits.ts';
import { fairnessClientsCases } from './fairness/turns-of-clients.ts';
import { groupsCases } from './groups/groups.ts';
import { groupsClientsCases } from './groups/groups-clients.ts';
import { leaveGroupCases } from './groups/leave-group.ts';
import { holdCases } from './hold/hold.ts';
import { holdClientsCases, holdWaitsCases } from './hold/hold-waits.ts';
import { holdWaysCases } from './hold/hold-ways.ts';
import { probeCases } from './hold/probe.ts';
import { resumeCases } from './hold/resume.ts';
import { insightAgesCases, insightLanesCases } from './insight/lanes.ts';
import { insightSpreadCases } from './insight/spread.ts';
import { insightWorkersCases } from './insight/workers.ts';
import { findExpiredCases } from './lease/find-expired.ts';
import { findExpiredLanesCases } from './lease/find-expired-lanes.ts';
import { heartbeatCases } from './lease/heartbeat.ts';
import { notesCases, notesClientsCases } from './notes/notes.ts';
import { notesInputCases } from './notes/notes-input.ts';
import { notesPagesCases } from './notes/notes-pages.ts';
import { endCases } from './operate/end.ts';
import { endEffectsCases, endRetentionCases } from './operate/end-effects.ts';
import { rescheduleCases } from './operate/reschedule.ts';
import { rescheduleEffectsCases } from './operate/reschedule-effects.ts';
import { operationsKeepingCases } from './operations/keeping.ts';
import { operationStepsCases } from './operations/steps.ts';
import { attendCases } from './read/attend.ts';
import { auditCases } from './read/audit.ts';
import { getCases } from './read/get.ts';
import { listCases } from './read/list.ts';
import { listMovesCases } from './read/list-moves.ts';
import { releaseLaterCases } from './release/release-later.ts';
import { reserveCases, reserveClientsCases } from './reserve/reserve.ts';
import { reserveInputCases } from './reserve/reserve-input.ts';
import { errorsCases } from './settle/errors.ts';
import { refusalsCases } from './settle/refusals.ts';
import { settleCases } from './settle/settle.ts';
import { settleDelayCases } from './settle/settle-delay.ts';
import { settleRacesCases } from './settle/settle-races.ts';
import { settleSubmitsCases } from './settle/settle-submits.ts';
import { settleWithoutPayloadCases } from './settle/settle-without-payload.ts';
import { wholeInstantsCases } from './settle/whole-instants.ts';
import { extrasCases } from './submit/extras.ts';
import { instantsCases } from './submit/instants.ts';
import { namesCases } from './submit/names.ts';
import { oddTextCases } from './submit/odd-text.ts';
import { scheduleCases } from './submit/schedule.ts';
import { sizesCases } from './submit/sizes.ts';
import { spentCases } from './submit/spent.ts';
import { submitCases } from './submit/submit.ts';
import { uniqueCases } from './submit/unique.ts';
import { uniqueReplaceCases } from './submit/unique-replace.ts';
import { clientsCases } from './wait/clients.ts';
import { closeCases } from './wait/close.ts';
import { readyCases } from './wait/ready.ts';
import { waitForResultCases } from './wait/wait-for-result.ts';
import { waitForWorkCases } from './wait/wait-for-work.ts';

/**
 * What every broker does, as data: each case runs on an empty storage of its own, by any test runner. Every call of
 * every case is followed by an audit.
 */
export const brokerContract: readonly BrokerCase[] = /* @__PURE__ */ listContract();

function listContract(): readonly BrokerCase[] {
  const optional = [
    ...defineCases(readyCases, { requires: ['ready'] }),
    ...defineCases(clientsCases, { requires: ['several-clients'] }),
    ...defineCases(holdClientsCases, { requires: ['several-clients'] }),
    ...defineCases(notesClientsCases, { requires: ['several-clients'] }),
    ...defineCases(reserveClientsCases, { requires: ['several-clients'] }),
    ...defineCases(endRetentionCases, { storage: { keepCompleted: { count: 0 } }, requires: ['retention'] }),
    ...defineCases(fairnessClientsCases, { requires: ['several-clients'] }),
    ...defineCases(fairnessFiguresCases, { requires: ['figures'] }),
    ...defineCases(groupsCases, { requires: ['figures'] }),
    ...defineCases(leaveGroupCases, { requires: ['figures'] }),
    ...defineCases(groupsClientsCases, { requires: ['figures', 'several-clients'] }),
    ...defineCases(keepResultsCases, { storage: { keepCompleted: { count: 0 } }, requires: ['retention'] }),
    ...[insightLanesCases, insightAgesCases, insightSpreadCases, insightWorkersCases].flatMap((cases) =>
      defineCases(cases, { requires: ['figures'] }),
    ),
    ...listKeepKeysCases(),
    ...listRetentionCases(),
  ];
  return [...requiredCases().flatMap((cases) => defineCases(cases)), ...optional];
}

/** Cases that apply to every broker. */
function requiredCases(): readonly CasesByName[] {
  // biome-ignore format: a room a line
  return [
    submitCases, scheduleCases, instantsCases, namesCases, oddTextCases, sizesCases, extrasCases, spentCases,
    uniqueCases, uniqueReplaceCases,
    claimCases, dueLimitsCases, payloadCases, repeatedClaimCases, concurrencyWaitCases, concurrencyClaimCases, concurrencyOrderCases, concurrencyOfTaskCases, concurrencyOfBothCases,
    batchesCases,
    fairnessCases, passedTurnsCases, fairnessAndConcurrencyCases, fairnessAndLimitsCases,
    settleCases, settleRacesCases, settleWithoutPayloadCases, settleSubmitsCases, settleDelayCases, errorsCases, refusalsCases,
    wholeInstantsCases,
    heartbeatCases, findExpiredCases, findExpiredLanesCases,
    changeCases, changeWithNotesCases, cancelCases, cancelRacesCases, cancelRequestsCases,
    redriveCases, redriveLaterCases, discardCases,
    releaseLaterCases, endCases, endEffectsCases, rescheduleCases, rescheduleEffectsCases,
    holdCases, holdWaysCases, resumeCases, probeCases, holdWaitsCases,
    notesCases, notesPagesCases, notesInputCases,
    operationsKeepingCases, operationStepsCases,
    reserveCases, reserveInputCases,
    getCases, listCases, listMovesCases, attendCases, auditCases,
    waitForWorkCases, waitForResultCases, closeCases,
  ];
}
