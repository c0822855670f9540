import { existsSync } from "node:fs"
import { resolve } from "node:path"

/** Expectations made by others, beside the repository; suites skip with a notice where the folder is missing. */
export const folder = resolve(import.meta.dir, "../../../shared/oracles")

/** Whether an oracle is there; says so when it is not. */
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
