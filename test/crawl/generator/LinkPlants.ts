import type { Plant } from "./Plant.ts"
import type { LinkPlan } from "./Site.ts"
import { heading } from "./Text.ts"

const pushed = (name: string, links: (to: string, text: string) => ReadonlyArray<LinkPlan>): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const from = b.victim(r)
    const own = links(b.host(r), heading(r, 1))
    b.push(from, r.pick([own[0] ?? broken, ...own.slice(1)]))
  }
})

/** Links named by other means than their text, and links that only seem to have a name. */
const namedBy: ReadonlyArray<(to: string, text: string) => string> = [
  (to, text) => `<a href="${to}" aria-label="${text}"></a>`,
  (to, text) => `<a href="${to}" title="${text}"><i></i></a>`,
  (to, text) => `<a href="${to}" title="${text}"><i>&#xf015;</i></a>`,
  (to, text) => `<a href="${to}"><svg><title>${text}</title></svg></a>`,
  (to, text) => `<b id="of-${text}" hidden>${text}</b><a href="${to}" aria-labelledby="of-${text}"></a>`
]
const nameless: ReadonlyArray<(to: string) => string> = [
  (to) => `<a href="${to}"><span aria-hidden="true">x</span></a>`,
  (to) => `<a href="${to}" aria-labelledby="nobody">&nbsp;</a>`,
  (to) => `<a href="${to}"><b style="display: none">more</b></a>`,
  (to) => `<a href="${to}"><img src="/i.png" alt="More" role="presentation" width="9" height="9"></a>`,
  (to) => `<a href="${to}"><noscript>more</noscript></a>`,
  (to) => `<a href="${to}"><i>&#xf015;</i></a>`
]
const controls = [
  '<a href="javascript:void(0)">Menu</a>',
  '<a href="javascript:;" role="button">Products</a>',
  '<a href="javascript:void(0)" aria-expanded="false">Products</a>',
  '<a href="javascript:history.back()">Return</a>',
  '<a href="javascript:toggleAll()">Products</a>',
  '<a href="javascript:void(0)">Products</a><ul></ul>',
  '<a href="javascript:void(0)" title="Teilen" aria-label="Teilen"><svg></svg></a>',
  '<a href="javascript:void(0)" title="Schlie&szlig;en"><b>x</b></a>',
  '<a href="javascript:void(0)" data-clipboard-text="">Products</a>'
] as const
/** Controls without a name. */
const muteControls = [
  '<a href="#"><i></i></a>',
  '<a href="#top" class="up"><svg></svg></a>',
  '<a href="javascript:void(0)"><span></span></a>',
  "<button><i></i></button>",
  "<button><i>&#xe5d2;</i></button>",
  '<button type="button" class="menu"><svg></svg></button>',
  '<div role="button" tabindex="0"><i></i></div>'
] as const
/** Controls with a name, and hidden ones. */
const namedControls = [
  '<a href="#">Top</a>',
  '<a href="#" aria-label="Top"><i></i></a>',
  '<a href="#" title="Top">&#xf062;</a>',
  '<button aria-label="Menu"><i></i></button>',
  "<button><svg><title>Menu</title></svg></button>",
  "<button hidden><i></i></button>",
  '<label for="dark">Dark</label><button id="dark" role="switch"></button>',
  "<noscript><button></button></noscript>"
] as const
const raw = (markup: string, to: string | null, text: string): LinkPlan => ({
  written: to ?? "javascript:",
  to,
  kind: to === null ? "other" : "page",
  text,
  raw: markup
})

const broken: LinkPlan = { written: "http://[broken", to: null, kind: "invalid", text: "broken" }

export const linkPlants: ReadonlyArray<Plant> = [
  pushed("link that does not parse", () => [broken, { ...broken, written: "https://two words.test/" }]),
  pushed("link that lacks its scheme or a value", (_, text) =>
    ["site.test:8080/shop", "http://{{host}}/", "https://undefined/x", "mailto:{{ mail }}", "tel:undefined"].map(
      (written) => ({ ...broken, written, text })
    )
  ),
  pushed("link with credentials", (to, text) => {
    const { host, pathname } = new URL(to)
    return [`https://user:secret@${host}${pathname}`, `//user@${host}/`, "HTTP://:secret@elsewhere.test/"].map(
      (written) => ({ written, to: null, kind: "credentials" as const, text })
    )
  }),
  pushed("link with an @ that is no sign of credentials", (_, text) => [
    { written: "https://elsewhere.test/@user", to: "https://elsewhere.test/@user", kind: "page", text },
    { written: "https://elsewhere.test?to=a@b", to: "https://elsewhere.test/?to=a@b", kind: "page", text },
    { written: "mailto:somebody:x@site.test", to: null, kind: "other", text }
  ]),
  {
    name: "link that is read as a page for want of a scheme or a value",
    cost: 2,
    plant: (b, r) => {
      const written = r.pick([
        "www.elsewhere.test",
        "www.elsewhere.test/a?b=1",
        "user@elsewhere.test",
        "{{ url }}",
        "%7B%7Burl%7D%7D",
        `\${url}`,
        "<%= url %>",
        "undefined",
        "null",
        "[object Object]"
      ])
      const from = b.linked(b.page(b.fresh("from")), r)
      const to = new URL(written, from).href
      b.push(from, { written, to, kind: "page", text: heading(r, 1) })
    }
  },
  {
    name: "page whose address looks like a missing value",
    cost: 2,
    plant: (b, r) => {
      const to = b.page(b.url(r.pick(["/null", "/undefined", "/www.elsewhere.test", "/user@elsewhere.test"])))
      b.linked(to, r)
    }
  },
  pushed("link that runs a script", (_, text) => [
    { written: "javascript:void(0)", to: null, kind: "script", text },
    { written: " JavaScript:go()", to: null, kind: "script", text }
  ]),
  pushed("link without text", (to) => [
    { written: to, to, kind: "page", text: "" },
    { written: to, to, kind: "page", text: "", image: true },
    { written: "https://elsewhere.test/", to: "https://elsewhere.test/", kind: "page", text: "" }
  ]),
  pushed("link whose image has a text", (to, text) => [{ written: to, to, kind: "page", text, image: true }]),
  pushed("link withheld from credit", (to, text) => [
    { written: to, to, kind: "page", text, rel: "nofollow" },
    { written: to, to, kind: "page", text, rel: "ugc" },
    { written: to, to, kind: "page", text, rel: "sponsored" }
  ]),
  pushed("controls without a name", () =>
    muteControls.map((markup) => ({ ...raw(markup, null, ""), isMuteControl: true as const }))
  ),
  pushed("controls with a name", (_, text) => namedControls.map((markup) => raw(markup, null, text))),
  {
    name: "nofollow to what takes no credit",
    cost: 2,
    plant: (b, r) => {
      const whole = b.linked(b.page(b.url(`/list-${r.int(1, 99_999)}`)), r)
      const hidden = b.linked(b.page(b.url(`${new URL(whole).pathname}-all`)), r)
      const to = r.pick([hidden, b.page(b.url(`${new URL(whole).pathname}?orderby=price`))])
      b.spoil(hidden, (doc) => Object.assign(doc, { canonicals: [{ written: whole, to: whole, place: "head" }] }))
      b.linkTo(b.home, to)
      b.push(b.host(r), { written: to, to, kind: "page", text: "there", rel: "nofollow" })
    }
  },
  pushed("nofollow to another site", (_, text) => [
    { written: "https://elsewhere.test/x", to: "https://elsewhere.test/x", kind: "page", text, rel: "nofollow" },
    { written: "https://elsewhere.test/y", to: "https://elsewhere.test/y", kind: "page", text, rel: "noopener" }
  ]),
  pushed("links of other schemes", (_, text) => [
    { written: "mailto:somebody@site.test", to: null, kind: "other", text },
    { written: "tel:+15550100", to: null, kind: "other", text: "" },
    { written: "/cdn-cgi/l/email-protection", to: null, kind: "other", text }
  ]),
  pushed("link that something else names", (to, text) => namedBy.map((by) => raw(by(to, text), to, text))),
  pushed("link that only seems to have a name", (to) => nameless.map((by) => raw(by(to), to, ""))),
  pushed("controls that run a script", (_, text) => controls.map((markup) => raw(markup, null, text))),
  pushed("links that run a script like controls", (_, text) =>
    ['<a href="javascript:openPage(3)">Menu</a>', "<a href=\"javascript:location='/x'\" role=button>Menu</a>"].map(
      (markup) => ({ ...raw(markup, null, text), kind: "script" as const })
    )
  ),
  {
    name: "query in the encoding of its document",
    cost: 2,
    plant: (b, r) => {
      const from = b.linked(b.page(b.fresh("latin")), r)
      const path = `/find-${r.int(1, 9999)}`
      const to = b.page(b.url(`${path}?q=caf%E9`))
      b.spoil(from, (doc) => Object.assign(doc, { charset: "latin1" }))
      const markup = b.spoils ? `<a href="${path}?q=caf&eacute;">caf</a>` : `<a href="${path}?q=caf%e9">caf</a>`
      b.alter(from, (doc) => doc.links.push(raw(markup, to, "caf")))
    }
  },
  {
    name: "session ids in addresses",
    cost: 3,
    rare: true,
    plant: (b, r) => {
      const path = `/cart-${r.int(1, 9999)}`
      const form = r.pick(["?PHPSESSID=", "?a=1&sid=", ";jsessionid="])
      for (const id of b.spoils ? ["a1", "b2", "c3"] : ["a1", "b2"]) b.linked(b.page(b.url(`${path}${form}${id}`)), r)
    }
  },
  {
    name: "combined filters",
    cost: 16,
    rare: true,
    plant: (b, r) => {
      const path = `/list-${r.int(1, 9999)}`
      for (const color of ["red", "blue", "green", "grey"])
        for (const size of b.spoils ? ["s", "m", "l", "xl"] : ["s", "m"])
          b.linked(b.page(b.url(`${path}?color=${color}&size=${size}`)), r, 1)
    }
  },
  {
    name: "page without a link",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("end")), r)
      const only = r.pick(["nothing", "itself", "elsewhere"])
      b.spoil(url, (doc) => {
        const to = only === "itself" ? url : "https://elsewhere.test/"
        doc.links = only === "nothing" ? [] : [{ written: to, to, kind: "page", text: "on" }]
      })
    }
  },
  {
    name: "pages many clicks away",
    cost: 7,
    plant: (b, r) => {
      let from = b.home
      for (let depth = r.int(5, 7); depth > 0; depth--) {
        const url = b.page(b.fresh("deep"))
        b.linkTo(from, url)
        from = url
      }
    }
  },
  {
    name: "orphan",
    cost: 2,
    plant: (b, r) => {
      const url = b.page(b.fresh("orphan"))
      if (!b.spoils) b.linked(url, r)
      else if (r.chance(50)) b.linkTo(url, b.page(b.fresh("behind")))
    }
  },
  {
    name: "query in two orders",
    cost: 2,
    plant: (b, r) => {
      for (const query of ["a=1&b=2", "b=2&a=1"]) b.linked(b.page(b.url(`/find-${r.int(1, 3)}?${query}`)), r)
    }
  },
  {
    name: "pages linked from maps and frames",
    cost: 2,
    plant: (b, r) => {
      for (const element of ["area", "iframe"] as const) {
        const to = b.page(b.fresh(element))
        b.alter(b.host(r), (doc) => doc.links.push({ written: to, to, kind: "page", text: "there", element }))
      }
    }
  },
  {
    name: "relative links under a base",
    cost: 2,
    plant: (b, r) => {
      const from = b.linked(b.page(b.fresh("based")), r)
      const to = b.page(b.url(`/deep/er/target-${r.int(1, 9999)}`))
      b.alter(from, (doc) => {
        doc.base = "/deep/er/"
        doc.links = [{ written: new URL(to).pathname.slice("/deep/er/".length), to, kind: "page", text: "on" }]
      })
    }
  },
  {
    name: "addresses without end",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const to = b.url("/loop/loop/loop/loop")
      b.push(b.host(r), { written: to, to, kind: "page", text: "again" })
    }
  }
]
