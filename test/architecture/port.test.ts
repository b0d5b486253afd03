import { describe, expect, it } from 'vitest';
import { readText } from '../support/repository.ts';
import { readPort } from './rules/port.ts';

describe('the port of brokers', () => {
  const port = readPort('packages/core/src/broker/broker.ts', 'Broker', readText);

  it('has these verbs, those of its parts counted', () => {
    expect(port.verbs).toEqual([
      ...[
        'ready',
        'submit',
        'exchange',
        'heartbeat',
        'findExpired',
        'change',
        'reserve',
        'get',
        'list',
        'wait',
      ],
      ...['attend', 'notes.read', 'notes.write'],
      ...['audit', 'figures', 'isRefusal', 'within', 'close'],
    ]);
  });

  it('says three things of a broker besides', () => {
    expect(port.facts).toEqual(['facts.heartbeats', 'facts.submitsInOrder', 'facts.ownsConnection']);
  });
});

describe('readPort', () => {
  const files: Readonly<Record<string, string>> = {
    'a/port.ts': `
      import type { Read, Shelf } from '../b/shelf.ts';
      interface Said { readonly isFast?: boolean }
      export interface Port { readonly open?: () => void; close(): void; readonly read: Read; readonly shelf: Shelf; readonly said: Said; readonly size: number }`,
    'b/shelf.ts': `
      export type Read = <Item>(item: Item) => Item;
      export interface Shelf { readonly put: (item: string) => void; readonly take?: () => string }`,
  };

  it('counts the verbs of parts, also of those that are imported, and tells facts from verbs', () => {
    expect(readPort('a/port.ts', 'Port', (path) => files[path] ?? '')).toEqual({
      verbs: ['open', 'close', 'read', 'shelf.put', 'shelf.take'],
      facts: ['said.isFast', 'size'],
    });
  });
});
