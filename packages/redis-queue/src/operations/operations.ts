import type { OperationClaim, OperationRequest, OperationStep, Operations } from '@retry/core/broker';
import type { OperationFigures } from '@retry/core/broker/kit';
import { readRequest } from '@retry/core/broker/kit';
import type { Script } from '../scripts/create-script.ts';
import {
  changeOperationScript,
  claimOperationScript,
  putOperationScript,
  readOperationsScript,
} from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** An operation as one partition keeps it. */
export interface KeptOperation {
  readonly id: string;
  /** Absent in partitions that only count. */
  readonly request: OperationRequest | undefined;
  readonly figures: OperationFigures;
}

/** An operation that a carrier got. */
export interface KeptClaim extends KeptOperation {
  readonly request: OperationRequest;
  readonly epoch: number;
  readonly progress: string | undefined;
  readonly now: number;
}

/** The operations of one partition. */
export interface PartOperations extends Pick<Operations, 'put' | 'change'> {
  /** Reads the operations of these ids, or all. */
  readonly read: (ids?: readonly string[]) => Promise<readonly KeptOperation[]>;
  readonly claim: (claim: OperationClaim) => Promise<KeptClaim | undefined>;
  /** Whether this is the next step of an operation that this partition has. */
  readonly accepts: (step: OperationStep) => Promise<boolean>;
}

/** Makes calls while the broker is open. */
type Pass = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

/** Returns the operations of one partition. */
export function createPartOperations(store: Store, pass: Pass): PartOperations {
  const run = (script: Script, ...args: readonly (string | Buffer)[]): Promise<unknown> =>
    pass(() => runScript(store, script, args));
  return {
    put: async (request) => {
      const { ids, ...filter } = request.filter;
      const text = JSON.stringify({ ...request, filter });
      const kept = ids === undefined ? '' : JSON.stringify(ids);
      return (await run(putOperationScript, pack([request.id, text, kept]))) as Answer<'put'>; // what our own script returns
    },
    change: async (id, to) => (await run(changeOperationScript, pack([id, to]))) as Answer<'change'>, // what our own script returns
    read: async (ids) =>
      readReply(await run(readOperationsScript, pack(ids ?? []), ...(ids === undefined ? ['all'] : []))),
    claim: async ({ carrier, leaseMs, id = '' }) => {
      for (;;) {
        const reply = await run(claimOperationScript, pack([carrier, Math.ceil(leaseMs), id]));
        if (reply === null) return undefined;
        const claimed = readClaim(reply as ClaimReply); // what our own script returns
        if (typeof claimed !== 'string') return claimed;
        // No process can continue it, and it would hide those behind it.
        await run(changeOperationScript, pack([claimed, 'cancelled']));
      }
    },
    accepts: async ({ id, epoch }) => {
      const [, [text] = []] = (await run(readOperationsScript, pack([id]))) as readonly string[][]; // what our own script returns
      if (text === undefined) return false;
      const { state, epoch: latest, stepped } = JSON.parse(text) as StoredFigures; // what our own script wrote
      return state === 'running' && epoch === latest && stepped < epoch;
    },
  };
}

type Answer<Verb extends 'put' | 'change'> = Awaited<ReturnType<Operations[Verb]>>;

/** The figures as scripts write them. */
interface StoredFigures extends OperationFigures {
  readonly epoch: number;
  readonly stepped: number;
  readonly progress?: string;
}

function readReply(reply: unknown): readonly KeptOperation[] {
  const [ids, figures, requests] = reply as readonly (readonly (string | null)[])[]; // what our own script returns
  return (ids ?? []).map((id, index) => ({
    id: id ?? '',
    figures: readFigures(figures?.[index] ?? '{}').figures,
    request: readRequest(id ?? '', requests?.[index] ?? ''),
  }));
}

type ClaimReply = readonly [
  now: number,
  figures: string,
  request: string | null,
  ids: string | null,
  id: string,
];

/** Returns the id alone of an operation whose request cannot be read. */
function readClaim([now, text, about, ids, id]: ClaimReply): KeptClaim | string {
  const request = readRequest(id, about ?? '', ids);
  if (request === undefined) return id;
  const { epoch, progress, figures } = readFigures(text);
  return { id, request, figures, epoch, progress, now };
}

function readFigures(text: string): Pick<StoredFigures, 'epoch'> & {
  readonly progress: string | undefined;
  readonly figures: OperationFigures;
} {
  const { epoch, stepped: _, progress, ...figures } = JSON.parse(text) as StoredFigures; // what our own script wrote
  return { epoch, progress, figures };
}
