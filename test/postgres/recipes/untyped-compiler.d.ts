/** Prisma types what it generates, not what that imports. */
declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs';
declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs' {
  export const wasm: string;
}
