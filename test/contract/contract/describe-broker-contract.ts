import { describe } from 'vitest';
import type { BrokerHarness, KeepOptions } from '../../support/broker-scene.ts';
import { useScene } from '../../support/broker-scene.ts';
import { describeAttend } from './attend.ts';
import { describeAudit } from './audit.ts';
import { describeBatches } from './batches.ts';
import { describeCancel } from './cancel.ts';
import { describeCancelRaces } from './cancel-races.ts';
import { describeCancelRequests } from './cancel-requests.ts';
import { describeClaim } from './claim.ts';
import { describeClose } from './close.ts';
import { describeConcurrencyClaim } from './concurrency-claim.ts';
import { describeConcurrencyWait } from './concurrency-wait.ts';
import { describeDiscard } from './discard.ts';
import { describeErrors } from './errors.ts';
import { describeFindExpired } from './find-expired.ts';
import { describeFindExpiredLanes } from './find-expired-lanes.ts';
import { describeGet } from './get.ts';
import { describeHeartbeat } from './heartbeat.ts';
import { describeKeepKeys } from './keep-keys.ts';
import { describeKeepResults } from './keep-results.ts';
import { describeList } from './list.ts';
import { describeNames } from './names.ts';
import { describeOddText } from './odd-text.ts';
import { describeRedrive } from './redrive.ts';
import { describeRefusals } from './refusals.ts';
import { describeRepeatedClaim } from './repeated-claim.ts';
import { describeSchedule } from './schedule.ts';
import { describeSettle } from './settle.ts';
import { describeSettleDelay } from './settle-delay.ts';
import { describeSettleRaces } from './settle-races.ts';
import { describeSettleWithoutPayload } from './settle-without-payload.ts';
import { describeSizes } from './sizes.ts';
import { describeSubmit } from './submit.ts';
import { describeWaitForResult } from './wait-for-result.ts';
import { describeWaitForWork } from './wait-for-work.ts';

/** What a broker has to bring to be tested. */
export interface BrokerContract {
  /** Opens a broker without runs; called for each test. Unless told otherwise it keeps everything. */
  readonly open: (options?: KeepOptions) => Promise<BrokerHarness>;
}

const PARTS = [
  describeSubmit,
  describeSchedule,
  describeClaim,
  describeRepeatedClaim,
  describeSettle,
  describeSettleRaces,
  describeSettleWithoutPayload,
  describeSettleDelay,
  describeErrors,
  describeHeartbeat,
  describeFindExpired,
  describeFindExpiredLanes,
  describeCancel,
  describeCancelRaces,
  describeCancelRequests,
  describeConcurrencyWait,
  describeConcurrencyClaim,
  describeRedrive,
  describeDiscard,
  describeGet,
  describeList,
  describeWaitForWork,
  describeWaitForResult,
  describeAttend,
  describeAudit,
  describeBatches,
  describeSizes,
  describeOddText,
  describeNames,
  describeRefusals,
  describeClose,
];

/**
 * What every broker does: written once, run on each of them. Time moves by `advance` only, so that it runs on
 * real clocks as well; every call of every test is followed by an audit.
 */
export function describeBrokerContract(name: string, { open }: BrokerContract): void {
  describe(name, () => {
    const scene = useScene(open);
    for (const describePart of PARTS) describePart(scene);
  });
  describe(`${name} that forgets`, () => {
    describeKeepResults(open);
    describeKeepKeys(open);
  });
}
