/**
 * `bun run faults NAME …`: a campaign against real processes, too long for the suite. It prints what was tried, how often, what was lost and how long
 * anything waited, and fails when a promise was broken. Linux, with the embedded PostgreSQL installed.
 */
import { attacks } from "./attacks.ts"
import { bombsCampaign } from "./bombs.ts"
import { clockJumps } from "./clockJumps.ts"
import { fairness } from "./fairness.ts"
import { forgery } from "./forgery.ts"
import { hostileSites } from "./hostileSites.ts"
import { migrations } from "./migrations.ts"
import { rotations } from "./rotations.ts"
import { sideBySide } from "./sideBySide.ts"
import { workerLost } from "./workerLost.ts"

const campaigns: Readonly<Record<string, (words: ReadonlyArray<string>) => Promise<boolean>>> = {
  attacks,
  bombs: bombsCampaign,
  "clock-jumps": clockJumps,
  fairness,
  forgery,
  "hostile-sites": hostileSites,
  migrations,
  rotations,
  "side-by-side": sideBySide,
  "worker-lost": workerLost
}

const [name = "", ...words] = process.argv.slice(2)
const campaign = campaigns[name]
if (campaign === undefined) {
  console.error(`Name one of ${Object.keys(campaigns).join(", ")}`)
  process.exit(1)
}
process.exit((await campaign(words)) ? 0 : 1)
