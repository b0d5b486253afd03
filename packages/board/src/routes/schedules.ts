import type { ActRequest, ScheduleRemovalAnswer, SchedulesAnswer } from '../api.ts';
import { readBody } from './body.ts';
import type { Call, ReadCall } from './call.ts';
import { pageOf } from './call.ts';
import { noteOf } from './run/run-acts.ts';

/** `GET schedules`. */
export async function schedules({ desk, query }: ReadCall): Promise<SchedulesAnswer> {
  const page = await desk.queue.schedules(pageOf(query));
  return { ...page, schedules: page.schedules.map(({ payload: _, ...row }) => row) };
}

/** `POST schedules/:id/remove`. */
export async function removeSchedule({ desk, visitor, param, body }: Call): Promise<ScheduleRemovalAnswer> {
  const request = readBody<ActRequest>(body, { subject: 'remove-schedule', keys: ['reason'] });
  const act = { kind: 'remove-schedule', target: param('id'), ...noteOf(visitor, request) } as const;
  return desk.acts.perform(act, async () => ({ answer: await desk.queue.unschedule(param('id')) }));
}
