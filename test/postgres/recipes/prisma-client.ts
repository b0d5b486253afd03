import type { GetPrismaClientConfig } from '@prisma/client/runtime/client';
import { getPrismaClient } from '@prisma/client/runtime/client';

/** Every JavaScript engine has it; the configured types do not. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

/**
 * What `prisma generate` writes for a schema without models, so that no test needs the program `prisma`, which
 * fetches an engine. Transactions and statements go through Prisma's own runtime and adapter.
 */
const config: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: '',
  activeProvider: 'postgresql',
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: 'AAAA' },
  compilerWasm: {
    getRuntime: () => import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs'),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import(
        '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs'
      );
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
    },
    importName: './query_compiler_fast_bg.js',
  },
};

/** What of a generated client, and of its transactions, the recipe needs. */
export interface RawPrisma {
  readonly $queryRawUnsafe: (text: string, ...values: unknown[]) => PromiseLike<unknown>;
  readonly $executeRawUnsafe: (text: string, ...values: unknown[]) => Promise<number>;
  readonly $transaction: (work: (trx: RawPrisma) => Promise<void>) => Promise<void>;
  readonly $disconnect: () => Promise<void>;
}

export const PrismaClient = getPrismaClient(config) as unknown as new (options: {
  readonly adapter: object;
}) => RawPrisma; // the runtime types no more than a generated client's base
