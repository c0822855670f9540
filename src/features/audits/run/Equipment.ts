/** Platform adapter: whether this machine can audit, as far as that shows without starting anything (`Bun.resolveSync`). */
import * as Effect from "effect/Effect"
import { childFailure } from "./AuditRunFailed.ts"
import { findChromium } from "./Chromium.ts"

const findLighthouse = Effect.try({
  try: () => Bun.resolveSync("lighthouse", import.meta.dir),
  catch: () => childFailure("lighthouse_missing", "")
})

/** Fails with what is missing, in one sentence. */
export const checkEquipment = Effect.asVoid(Effect.zipRight(Effect.suspend(findChromium), findLighthouse))
