/**
 * `bun run campaign NAME …`: a check that takes too long, needs too much of the machine, or uses foreign tools, so it is no test. It prints its measurements
 * and exits with 1 when the check fails. `bun run campaign` lists all campaigns. Those with real processes need Linux and the embedded PostgreSQL.
 */
import { resolve } from "node:path"
import { agents } from "./agents.ts"
import { attacks } from "./attacks.ts"
import { backlinks } from "./backlinks.ts"
import { bombsCampaign } from "./bombs.ts"
import { clockJumps } from "./clockJumps.ts"
import { consoleCampaign } from "./console.ts"
import { deadlines } from "./deadlines.ts"
import { designs } from "./designs.ts"
import { closeAll } from "./fairness/installation.ts"
import { fairness } from "./fairness.ts"
import { forgery } from "./forgery.ts"
import { frameworksCampaign } from "./frameworks.ts"
import { hostileSites } from "./hostileSites.ts"
import { memory } from "./memory.ts"
import { oftener } from "./often.ts"
import { render } from "./render.ts"
import { renderKills } from "./renderKills.ts"
import { rotations } from "./rotations.ts"
import { safety } from "./safety.ts"
import { wordpress } from "./wordpress.ts"
import { workerLost } from "./workerLost.ts"

type Campaign = (words: ReadonlyArray<string>) => Promise<boolean>

/** A separate program below `test/`, with the peers it needs. */
const program =
  (path: string): Campaign =>
  async (words) => {
    const file = resolve(import.meta.dir, "..", path)
    const child = Bun.spawn([process.execPath, file, ...words], { stdio: ["inherit", "inherit", "inherit"] })
    return (await child.exited) === 0
  }

/** Each campaign with a line about what it shows; arguments are named first. */
const campaigns: Readonly<Record<string, readonly [about: string, run: Campaign]>> = {
  accuracy: ["[--sites 1000] generated sites: precision and recall of every rule", program("accuracy/run.ts")],
  agents: ["the protocol of agents by its official conformance suites and clients, and what it costs a node", agents],
  agreement: [
    "[--rounds 20] rankings: three kinds of files tell the same truth",
    program("features/rankings/agreement/run.ts")
  ],
  attacks: [
    "[calls] strangers probe and fuzz every operation: nothing is told, changed, or answered with 5xx",
    attacks
  ],
  backlinks: [
    "[--rounds 10000] [--seed 1] looks at links behind random outages: none that lives is told as lost, each that was removed is",
    backlinks
  ],
  bombs: [
    "[files|bodies] [name] files that unpack to gigabytes, and the longest bodies of every operation",
    bombsCampaign
  ],
  "clock-jumps": ["workers whose clock is set (needs faketime)", clockJumps],
  console: [
    "[--pictures FOLDER] every screen of the console in every state, in Chromium, by day and by night",
    consoleCampaign
  ],
  deadlines: ["crawls, requests and the crawl's process end in time and hold no thread up", deadlines],
  designs: [
    "[--pages 5000] a design of so many pages and 60 weeks: CPU of each step, and the longest turn of the event loop",
    designs
  ],
  experiments: [
    "[--runs 4000] [--seed 1] | --panel FOLDER: designed experiments whose truth is known: how often the verdict is wrong",
    program("features/experiments/law/run.ts")
  ],
  fairness: [
    "[case …] [--seconds 60] [--scale 1] one tenant at the most of everything, beside one who makes ordinary requests",
    fairness
  ],
  foreign: ["[FOLDER] tools of others on the contract as a document", program("foundation/openapi/foreign.ts")],
  forgery: ["requests of ours that are led to addresses of this machine reach none of them", forgery],
  frameworks: [
    "[NAME …] small sites in Angular, Next.js and Astro, built by npm: pages found, score and issues without a browser and with one",
    frameworksCampaign
  ],
  "hostile-sites": ["[name] a node that crawls costly sites still answers", hostileSites],
  isolation: ["[seconds] receivers that hang cost the others nothing", program("bench/isolation.ts")],
  kills: ["[workers] [backends] no delivery is lost when processes are killed", program("bench/kills.ts")],
  loop: ["once around crawl, fixes, verify, diff and gate, as a transcript", program("loop/run.ts")],
  memory: ["[deadline] what hostile pages, bombs and sitemaps cost in memory and past the deadline", memory],
  newcomer: [
    "[--tests] every command of the README and the first tutorials in a fresh clone",
    program("newcomer/run.ts")
  ],
  often: ["[times] [file …] tests that repeat a step with other data, so many times as often as in the suite", oftener],
  opportunities: [
    "[--runs 400] lists of opportunities name nothing where nothing is wrong, and known effects",
    program("features/rankings/opportunities/aa/run.ts")
  ],
  oracles: ["parts that decide against expectations made by others", program("oracles/run.ts")],
  picture: ["draws src/rooms.svg from the imports", program("house/picture.ts")],
  render: [
    "[NAME …] pages that attack the browser, the crawl and the network: bounded, refused, and nothing is left behind",
    render
  ],
  "render-kills": [
    "[rounds] the server, the crawl's process, the browser and its pages are killed while pages are rendered",
    renderKills
  ],
  rotations: ["[rounds] a rotation of the secrets that is killed loses none", rotations],
  safety: [
    "[case …] [--minutes 20] [--scale 1] attacks on other tenants, other people's systems and agents: none succeeds",
    safety
  ],
  shuffled: [
    "[runs] [rendered] crawls whose answers come in any order have one result",
    program("accuracy/shuffled.ts")
  ],
  simulate: [
    "experiments whose truth is known: how often the verdict is wrong",
    program("features/experiments/simulations/run.ts")
  ],
  sites: ["BEFORE AFTER: the difference of two states of a site", program("sites/run.ts")],
  visibility: [
    "[--rounds 12000] [--seed 1] the rule of AI visibility, its intervals and powers, where the truth is known",
    program("features/visibility/law/run.ts")
  ],
  wordpress: [
    "[FILE] changes through a real WordPress, in a network namespace (needs PHP with SQLite, and npm's package)",
    wordpress
  ],
  "worker-lost": ["[kills] a run says that its worker died, in time", workerLost]
}

const [name = "", ...words] = process.argv.slice(2)
const campaign = campaigns[name]
if (campaign === undefined) {
  const width = Math.max(...Object.keys(campaigns).map((key) => key.length))
  for (const [key, [about]] of Object.entries(campaigns)) console.log(`${key.padEnd(width)}  ${about}`)
  if (name !== "") console.error(`There is no campaign ${name}`)
  process.exit(name === "" ? 0 : 1)
}
// A stopped campaign ends everything it started: processes end with this one, and installations are removed.
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const)
  process.once(signal, () => closeAll().finally(() => process.exit(code)))
process.exit((await campaign[1](words)) ? 0 : 1)
