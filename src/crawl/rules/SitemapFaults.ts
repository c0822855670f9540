import { groupedBy } from "../../foundation/schema/Groups.ts"
import type { SitemapFile } from "../report/Summary.ts"
import type { Fault } from "./Fault.ts"
import { some } from "./Targets.ts"

/** Something wrong with a file, and the value that it stands in. */
interface FileFault {
  readonly file: SitemapFile
  readonly words: string
  readonly value: string | null
}

/** The problems of a file of which something holds. */
export const problemsOf = (file: SitemapFile, holds: (kind: string) => boolean): ReadonlyArray<FileFault> =>
  file.problems.flatMap(({ count, detail, kind }) => {
    if (!holds(kind)) return []
    const times = count > 1 ? `${count} × ` : ""
    return [
      { file, words: `${times}${kind.replaceAll("_", " ")}${detail === null ? "" : ` ("${detail}")`}`, value: detail }
    ]
  })

/** The fault of files: what is wrong with each, and the first value that can be shown. */
export const filesFault = (faults: ReadonlyArray<FileFault>): Fault | null => {
  if (faults.length === 0) return null
  const files = [...groupedBy(faults, ({ file }) => file.url)]
  return {
    detail: some(
      files.map(([url, own]) => `${url}: ${own.map(({ words }) => words).join(", ")}`),
      3
    ),
    value: faults.find(({ value }) => value !== null)?.value ?? undefined,
    place: "sitemap"
  }
}
