import * as Either from "effect/Either"
import type { Refused } from "../../../foundation/schema/DomainError.ts"
import { unfitting } from "./BackupFile.ts"
import type { Partition } from "./CatalogRepo.ts"

// A backup's description of partitions is untrusted text. Only its year and month become SQL, as numbers; the table is one of the catalogue.

const firstOf = (year: number, month: number) => `${pad(year, 4)}-${pad(month, 2)}-01`

const pad = (value: number, width: number) => String(value).padStart(width, "0")

/** The bounds of a month, as PostgreSQL writes them. */
const boundsOf = (year: number, month: number) => {
  const end = month === 12 ? firstOf(year + 1, 1) : firstOf(year, month + 1)
  return `FOR VALUES FROM ('${firstOf(year, month)}') TO ('${end}')`
}

/** The statement that makes a month's part of one of these tables; a part with another name, or with other bounds than its month, is refused. */
export const partitionStatement =
  (parents: ReadonlyArray<{ readonly name: string }>) =>
  ({ bounds, name, parent }: Partition): Either.Either<string, Refused> => {
    const table = parents.find((known) => known.name === parent)
    const [, year, month] = /_(\d{4})_(0[1-9]|1[0-2])$/.exec(name) ?? []
    if (table !== undefined && year !== undefined && month !== undefined && Number(year) > 0) {
      const part = `${table.name}_${pad(Number(year), 4)}_${pad(Number(month), 2)}`
      const written = boundsOf(Number(year), Number(month))
      if (name === part && bounds === written) {
        return Either.right(`CREATE TABLE IF NOT EXISTS ${part} PARTITION OF ${table.name} ${written}`)
      }
    }
    return Either.left(unfitting("partition", name))
  }
