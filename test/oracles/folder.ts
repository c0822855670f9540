import { existsSync } from "node:fs"
import { resolve } from "node:path"

/** Expectations from others, beside the repository; suites skip with a notice if the folder is missing. */
export const folder = resolve(import.meta.dir, "../../../shared/oracles")

/** Whether an oracle exists; prints a notice if not. */
export const isMissing = (name: string): boolean => {
  const missing = !existsSync(resolve(folder, name))
  if (missing) console.log(`oracle ${name}: skipped, the oracles folder is not there`)
  return missing
}

/** The file of an oracle. */
export const file = (name: string) => Bun.file(resolve(folder, name))

/** Prints the summary line of an oracle. */
export const summary = (name: string, passed: number, total: number): void =>
  console.log(`oracle ${name}: ${passed}/${total}`)
