/** A transaction of Prisma, to be given as `tx`. */
export const inPrisma = (trx: {
  $queryRawUnsafe: (text: string, ...values: unknown[]) => PromiseLike<unknown>;
}) => ({
  query: async (text: string, values: unknown[] = []) => ({
    rows: (await trx.$queryRawUnsafe(text, ...values)) as unknown[],
  }),
});
