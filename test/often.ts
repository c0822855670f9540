const factor = Number(process.env.FINDABLE_TEST_OFTEN ?? 1)

/** How often a costly test repeats itself with other data: so often in the suite, and so many times more in `bun run campaign often`. */
export const often = (count: number): number => count * factor
