import { markup, queries, type Seed, sites } from "./seed.ts"

/** Where a screen is, and words that are on it once it shows what it has. */
export interface Place {
  readonly hash: string
  readonly says: string
}

/** A screen: with data, and where there is such a state without any, as the account that has it sees it. */
export interface Screen {
  readonly name: string
  readonly data: Place
  readonly empty?: Place & { readonly as: "bare" | "nothing" }
  /** It asks the API for nothing, so nothing can be refused. */
  readonly isStill?: boolean
}

/** All screens of the console, and those states of one that look unlike one another. */
export const screensOf = ({ bare, full }: Seed, live: string): ReadonlyArray<Screen> => {
  const shop = `#/rankings/${full.shop}`
  const { device, url } = full.audited
  return [
    { data: { hash: `#/runs/${live}`, says: "read of at most" }, name: "run, live" },
    {
      data: { hash: "#/sites", says: `of ${sites} sites` },
      empty: { as: "nothing", hash: "#/sites", says: "No site yet" },
      name: "sites"
    },
    {
      data: { hash: `#/sites/${full.project}`, says: "in the newest result" },
      empty: { as: "bare", hash: `#/sites/${bare.project}`, says: "No result yet" },
      name: "site"
    },
    {
      data: { hash: `#/runs/${full.run}`, says: "What it cost" },
      empty: { as: "bare", hash: `#/runs/${bare.run}`, says: "there is no result" },
      name: "run"
    },
    { data: { hash: `#/runs/${full.verification}`, says: "Repaired: 0 of" }, name: "run, verification" },
    {
      data: { hash: `#/runs/${full.run}/compare`, says: "Score " },
      empty: { as: "bare", hash: `#/runs/${bare.run}/compare`, says: "Nothing to compare with" },
      name: "comparison"
    },
    {
      data: { hash: "#/rankings", says: "shop.example" },
      empty: { as: "nothing", hash: "#/rankings", says: "No site yet" },
      name: "rankings"
    },
    {
      data: { hash: shop, says: markup },
      empty: { as: "bare", hash: `#/rankings/${bare.project}`, says: "No search data yet" },
      name: "rankings of a site"
    },
    {
      data: { hash: `#/rankings/${full.many}`, says: "1–25" },
      name: `rankings, ${queries} queries`
    },
    { data: { hash: `${shop}?kind=striking_distance`, says: "What it rests on" }, name: "opportunities" },
    { data: { hash: `${shop}?keyword=${encodeURIComponent(full.keyword)}`, says: "Position by day" }, name: "query" },
    {
      data: { hash: "#/audits", says: url },
      empty: { as: "nothing", hash: "#/audits", says: "No audit yet" },
      name: "audits"
    },
    {
      data: { hash: `#/audits?${new URLSearchParams({ device, url })}`, says: "the most severe first" },
      empty: { as: "nothing", hash: "#/audits?url=https%3A%2F%2Fa.example%2F", says: "No audit of it has ended well" },
      name: "audits of a page"
    },
    {
      data: { hash: "#/experiments", says: "Shorter titles" },
      empty: { as: "nothing", hash: "#/experiments", says: "No experiment yet" },
      name: "experiments"
    },
    {
      data: { hash: `#/experiments/${full.judged}`, says: "Increase of clicks by" },
      empty: { as: "bare", hash: `#/experiments/${bare.experiment}`, says: "It waits for its counts" },
      name: "experiment"
    },
    {
      data: { hash: `#/experiments/${full.draft}`, says: "is found in four of five experiments" },
      name: "experiment, draft"
    },
    {
      data: { hash: "#/webhooks", says: ": 500" },
      empty: { as: "nothing", hash: "#/webhooks", says: "No webhook yet" },
      name: "webhooks"
    },
    {
      data: { hash: `#/webhooks/${full.webhook}`, says: "Failing since" },
      empty: { as: "bare", hash: `#/webhooks/${bare.webhook}`, says: "None. An event" },
      name: "webhook"
    },
    { data: { hash: "#/nowhere", says: "There is no such screen" }, isStill: true, name: "no such screen" }
  ]
}
