import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** A folder of one's own, for as long as the scope lives. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "findable-"))),
  (path) => Effect.sync(() => rmSync(path, { force: true, recursive: true }))
)
