import { templateDoc } from "./Answers.ts"
import { type Plant, plant } from "./Plant.ts"
import type { AnswerPlan } from "./Site.ts"
import { words } from "./Text.ts"

const dead = (status: number): AnswerPlan => ({ kind: "error", status })
const clientErrors = [404, 404, 404, 410, 400, 401, 403, 405, 406, 451] as const
const serverErrors = [500, 502, 503, 504] as const

export const availabilityPlants: ReadonlyArray<Plant> = [
  plant("dead page, linked", { cost: 1 }, (b, r) => b.linked(b.add(b.fresh("gone"), dead(r.pick(clientErrors))), r, 4)),
  plant("dead page among the missing", { cost: 1 }, (b, r) =>
    b.linked(b.add(b.fresh("never"), { kind: "missing" }), r)
  ),
  plant("server error, linked", { cost: 1 }, (b, r) => b.linked(b.add(b.fresh("oops"), dead(r.pick(serverErrors))), r)),
  plant("answers that recover", { cost: 5 }, (b, r) => {
    const firsts: ReadonlyArray<AnswerPlan> = [
      dead(404),
      dead(500),
      { kind: "error", status: 503, retryAfter: "1" },
      { kind: "error", status: 429, retryAfter: "2" },
      { kind: "fault", fault: "reset" }
    ]
    for (const first of firsts) {
      const url = b.fresh("flaky")
      const doc = b.sound(url)
      b.add(url, { kind: "recovering", times: 1, first, finally: { kind: "page", doc } })
      b.linked(url, r, 1)
    }
  }),
  plant("page that loses its connection once and then is dead", { cost: 1 }, (b, r) => {
    const first: AnswerPlan = { kind: "fault", fault: "reset" }
    b.linked(b.add(b.fresh("worse"), { kind: "recovering", times: 1, first, finally: dead(404) }), r)
  }),
  plant("soft 404 by title and length", { cost: 2 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("soft")), r)
    const text = words(r, r.int(4, 12))
    const title = r.pick(["Page not found", "Error 404", "404 – not found", "Seite nicht gefunden"])
    b.spoil(url, (doc) =>
      Object.assign(doc, { titles: [title], h1: [title], words: text, canonicals: [], isErrorPage: true })
    )
    const empty = b.linked(b.page(b.fresh("blank")), r)
    b.spoil(empty, (doc) => Object.assign(doc, { empty: true, links: [], canonicals: [], isErrorPage: true }))
  }),
  plant("articles about errors, which are none", { cost: 5 }, (b, r) => {
    const titled = b.linked(b.page(b.fresh("article")), r)
    b.spoil(titled, (doc) => Object.assign(doc, { titles: [`Room 404 of ${doc.titles[0]}`] }))
    const told = b.linked(b.page(b.fresh("guide")), r)
    const text = `${words(r, 60).join(" ")} the page was not found ${words(r, 60).join(" ")}`.split(" ")
    b.spoil(told, (doc) => Object.assign(doc, { words: text }))
    const both = b.linked(b.page(b.fresh("howto")), r)
    const long = `${words(r, 90).join(" ")} a server says not found with 404 ${words(r, 90).join(" ")}`.split(" ")
    b.spoil(both, (doc) => Object.assign(doc, { titles: [`What 404 means ${doc.titles[0]}`], words: long }))
    const subject = r.pick(["404 Not Found", "Error 404", "Page not found", "Seite nicht gefunden"])
    const about = b.linked(b.page(b.fresh("status")), r)
    b.spoil(about, (doc) => Object.assign(doc, { titles: [subject], h1: [subject], words: words(r, r.int(24, 45)) }))
    // Few words, and a link that the start page does not have.
    const leaf = b.add(b.fresh("reference"), { kind: "page", doc: b.sound(b.home) })
    const brief = b.linked(b.page(b.fresh("model")), r)
    b.spoil(brief, (doc) =>
      Object.assign(doc, { titles: [`${subject} ${doc.titles[0]}`], words: words(r, r.int(3, 15)) })
    )
    b.linkTo(brief, leaf)
  }),
  plant("error template with status 200 for every unknown path", { cost: 2, rare: true }, (b, r) => {
    b.spoilSite((site) => {
      site.missing = "soft_template"
    })
    b.linked(b.add(b.fresh("never"), { kind: "missing" }), r)
    b.linked(b.add(b.fresh("lost"), { kind: "page", doc: templateDoc(b.site.origin) }), r)
  }),
  plant("shell for a script on every path", { cost: 0, rare: true }, (b) =>
    b.spoilSite((site) => {
      site.drawnByScript = true
    })
  ),
  plant("front page for every unknown path", { cost: 1, rare: true }, (b, r) => {
    b.spoilSite((site) => {
      site.missing = "front_page"
    })
    b.linked(b.add(b.fresh("any"), { kind: "missing" }), r)
  }),
  plant("page that never answers", { cost: 1, unverifiable: true }, (b, r) =>
    b.linked(b.add(b.fresh("slow"), { kind: "fault", fault: "timeout" }), r)
  ),
  plant("page whose connection breaks", { cost: 1, unverifiable: true }, (b, r) =>
    b.linked(b.add(b.fresh("cut"), { kind: "fault", fault: r.pick(["reset", "protocol"]) }), r)
  ),
  plant("throttled page", { cost: 1, unverifiable: true }, (b, r) => b.linked(b.add(b.fresh("busy"), dead(429)), r)),
  plant("challenged page", { cost: 1, unverifiable: true }, (b, r) =>
    b.linked(b.add(b.fresh("shield"), { kind: "challenge", how: r.pick(["header", "page"]) }), r)
  ),
  plant("file that is no page", { cost: 2 }, (b, r) => {
    b.linked(b.add(b.url(`/files/paper-${r.int(1, 9999)}.pdf`), { kind: "file", hides: false }), r)
    b.linked(b.add(b.fresh("download"), { kind: "file", hides: false }), r)
  }),
  plant("page above ten megabytes", { cost: 1, rare: true, unverifiable: true }, (b, r) =>
    b.linked(b.add(b.fresh("huge"), { kind: "huge" }), r)
  )
]
