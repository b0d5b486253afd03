/** Scenes of limits that all workers share. */
import { assertSame } from '../broker-agrees.ts';
import { tell } from './scene.ts';

/** A full window grants nothing; it says when it grants again, and does then. */
export const reserveFullWindow = tell(async ({ broker, advance, now }) => {
  const request = { key: 'k', limit: 3, windowMs: 320 };
  assertSame((await broker.reserve([{ ...request, count: 2 }]))[0]?.granted, 2);
  await advance(100);
  const [cut] = await broker.reserve([{ ...request, count: 2 }]);
  assertSame(cut?.granted, 1);
  const [none] = await broker.reserve([{ ...request, count: 1 }]);
  assertSame([none?.granted, none?.availableAt], [0, cut?.availableAt]);
  const freeAt = none?.availableAt ?? 0;
  await advance(freeAt - (await now()) - 1);
  await broker.reserve([{ ...request, count: 1 }]);
  await advance(1);
  assertSame((await broker.reserve([{ ...request, count: 9 }]))[0]?.granted, 2);
  await advance(10_000);
  assertSame((await broker.reserve([{ ...request, count: 3 }]))[0]?.granted, 3);
});

/** Several requests of one key are answered in order; keys do not share a limit; a limit may change its numbers. */
export const reserveSeveral = tell(async ({ broker, advance }) => {
  const [one, other] = [
    { key: 'one', limit: 3, windowMs: 1_000 },
    { key: 'other', limit: 3, windowMs: 1_000 },
  ];
  await broker.reserve([
    { ...one, count: 2 },
    { ...other, count: 1 },
    { ...one, count: 2 },
  ]);
  await advance(100);
  await broker.reserve([{ ...one, limit: 5, count: 9 }]);
  await advance(100);
  await broker.reserve([{ ...one, windowMs: 2_000, limit: 7, count: 9 }]);
  await advance(1_000);
  await broker.reserve([{ ...one, windowMs: 500, limit: 7, count: 9 }]);
});
