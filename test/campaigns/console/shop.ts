import { check, node as element, report, table } from "../../features/audits/reports.ts"

/** A made-up shop: its name, its host, and what it sells. */
export interface Shop {
  readonly name: string
  readonly host: string
  readonly goods: ReadonlyArray<string>
}

/** The shop of most pictures. */
export const tea: Shop = {
  goods: ["Green tea", "Black tea", "Oolong", "White tea", "Matcha", "Rooibos", "Jasmine tea", "Earl Grey"],
  host: "harbortea.example",
  name: "Harbor Tea"
}

/** Shops that stand beside it in the list of sites. */
export const others: ReadonlyArray<Shop> = [
  { goods: ["Novels", "Cookbooks", "Atlases", "Poetry"], host: "bluebirdbooks.example", name: "Bluebird Books" },
  { goods: ["City bikes", "Helmets", "Bike lights"], host: "cedarcycles.example", name: "Cedar Cycles" },
  { goods: ["Pans", "Knives", "Bakeware", "Mills", "Boards"], host: "maplekitchen.example", name: "Maple Kitchen" }
]

const slug = (words: string) => words.toLowerCase().replaceAll(" ", "-")

/** Guides of the shop's blog. */
const guides = [
  "How to brew",
  "Storing",
  "Choosing",
  "A short history of",
  "Gifts with",
  "Health and",
  "Cooking with",
  "Questions about"
]

const paths = ({ goods }: Shop) => ({
  blog: guides.map((guide, index) => `/blog/${slug(`${guide} ${goods[index % goods.length]}`)}`),
  shop: goods.map((good) => `/shop/${slug(good)}`)
})

/** A site on the loopback interface with ordinary issues; each `change` mends some. */
export const serve = (shop: Shop) => {
  let stage = 0
  const { blog, shop: sold } = paths(shop)
  const page = (title: string, path: string, body: string) => {
    const isDescribed = path.startsWith("/shop") || (stage > 1 && path.startsWith("/blog"))
    const description = isDescribed
      ? `<meta name="description" content="${title} from ${shop.name}: fresh stock every week, sent the same day, with free returns for a month.">`
      : ""
    return new Response(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title>${description}<h1>${title}</h1>${body}</html>`,
      { headers: { "content-type": "text/html; charset=utf-8" } }
    )
  }
  const text = `<p>${"We taste every delivery before it goes on the shelf and write down how it was grown. ".repeat(25)}</p>`
  const links = (to: ReadonlyArray<string>) =>
    to.map((path) => `<a href="${path}">${path.split("/").at(-1)?.replaceAll("-", " ")}</a>`).join(" ")
  const server = Bun.serve({
    fetch: ({ url }) => {
      const { origin, pathname } = new URL(url)
      const gone = [...(stage < 3 ? ["/shop/gift-box"] : []), "/blog/spring-offers"]
      if (pathname === "/robots.txt")
        return new Response(
          `User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap.xml\n\nUser-agent: CCBot\nDisallow: /\n`
        )
      if (pathname === "/sitemap.xml")
        return new Response(
          `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${["/", ...sold, ...blog].map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`,
          { headers: { "content-type": "application/xml" } }
        )
      if (pathname === "/")
        return page(
          `${shop.name}: ${shop.goods[0]} and more`,
          pathname,
          `${links([...sold, ...blog, "/about"])}${text}`
        )
      if (pathname === "/about") return page(`About ${shop.name}`, pathname, `${links(["/", "/old-about"])}${text}`)
      if (pathname === "/old-about") return Response.redirect(`${origin}/about`, 301)
      const good = sold.indexOf(pathname)
      if (good >= 0) {
        const isUntitled = good < 2 - stage
        const photo = good % 2 === 0 ? '<img src="/photo.svg">' : '<img src="/photo.svg" alt="" width="8" height="8">'
        return page(
          isUntitled ? "" : `${shop.goods[good]} | ${shop.name}`,
          pathname,
          `${links(["/", ...gone])}${photo}${text}`
        )
      }
      const guide = blog.indexOf(pathname)
      if (guide >= 0) {
        const title =
          guide > 5 && stage < 4 ? `${shop.name} blog` : `${guides[guide]} ${shop.goods[guide % shop.goods.length]}`
        return page(title, pathname, `${links(["/", ...sold.slice(0, 3)])}${guide === 3 ? "<p>Soon.</p>" : text}`)
      }
      if (pathname === "/photo.svg")
        return new Response('<svg xmlns="http://www.w3.org/2000/svg"/>', {
          headers: { "content-type": "image/svg+xml" }
        })
      return new Response("", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return {
    change: () => {
      stage++
    },
    stop: () => server.stop(true),
    url: server.url.href
  }
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

/** A number from 0.8 to 1.2, the same for the same row. */
const noise = (row: number, ago: number) => 0.8 + 0.4 * (((row * 7919 + ago * 104_729) % 997) / 997)

/** Fewer people search at the weekend. */
const week = (ago: number) => ([0, 6].includes(new Date(Date.now() - ago * 86_400_000).getUTCDay()) ? 0.72 : 1)

/** A query: its page, its impressions a day, its position, and how the position moves in two steps, five weeks and one week ago. */
const searched: ReadonlyArray<
  readonly [query: string, page: string, impressions: number, position: number, by: number]
> = [
  ["green tea", "/shop/green-tea", 2100, 5.2, -1.6],
  ["harbor tea", "/", 420, 1.1, 0],
  ["how to brew green tea", "/blog/how-to-brew-green-tea", 1450, 3.4, -0.6],
  ["matcha powder", "/shop/matcha", 1900, 7.8, 1.3],
  ["earl grey", "/shop/earl-grey", 1200, 6.1, 0],
  ["storing black tea", "/blog/storing-black-tea", 380, 2.2, 0],
  ["white tea", "/shop/white-tea", 860, 8.4, -2.1],
  ["oolong tea", "/shop/oolong", 1050, 4.6, 0.4],
  ["rooibos", "/shop/rooibos", 740, 9.3, 0],
  ["jasmine tea", "/shop/jasmine-tea", 610, 5.9, -0.9],
  ["tea gifts", "/blog/gifts-with-matcha", 940, 11.2, -3],
  ["choosing oolong", "/blog/choosing-oolong", 260, 2.6, 0],
  ["black tea", "/shop/black-tea", 1650, 6.6, 0.8],
  ["cooking with jasmine tea", "/blog/cooking-with-jasmine-tea", 310, 4.1, 0],
  ["loose leaf tea", "/", 1320, 12.4, -1.2],
  ["matcha or green tea", "/shop/matcha", 520, 9.8, 0]
]

/** The expected share of clicks at a position. */
const ctrAt = (position: number) => 0.32 / position ** 1.05

/** A table of Search Console: queries on pages by day. */
export const queryRows = (): ReadonlyArray<string> =>
  Array.from({ length: 110 }, (_, n) => 112 - n).flatMap((ago) =>
    searched.map(([query, path, volume, before, by], row) => {
      const impressions = Math.round(volume * noise(row, ago) * week(ago))
      const moved = (ago < 35 ? 0.6 * by : 0) + (ago < 10 ? 0.4 * by : 0)
      const position = Math.max(1, before + moved + 0.6 * (noise(row + 31, ago) - 1))
      const clicks = Math.round(impressions * ctrAt(position) * (row === 8 ? 0.3 : noise(row + 7, ago)))
      return `${day(ago)},${query},https://${tea.host}${path},${clicks},${impressions},${position.toFixed(1)}`
    })
  )

/** A table of Search Console: pages by day for ten months; the blog gains a sixth from a change on, 60 days ago. */
export const pageRows = (): ReadonlyArray<string> => {
  const { blog, shop } = paths(tea)
  return Array.from({ length: 300 }, (_, n) => 302 - n).flatMap((ago) =>
    [...shop, ...blog].map((path, row) => {
      const isBlog = path.startsWith("/blog/")
      const clicks = Math.round(
        (46 + 9 * (row % 8)) * noise(row, ago) * week(ago) * (1.2 - ago / 900) * (isBlog && ago <= 60 ? 1.17 : 1)
      )
      const impressions = Math.round(clicks * (14 + (row % 5)) + 40 * noise(row + 3, ago))
      return `${day(ago)},https://${tea.host}${path},${clicks},${impressions},${(4 + (row % 6) * 0.7).toFixed(1)}`
    })
  )
}

const linkingPages = [
  ["https://teajournal.example/guides/green-tea", 71, "/shop/green-tea", "Harbor Tea’s green teas", false],
  ["https://teajournal.example/shops", 71, "/", "Harbor Tea", false],
  ["https://slowmornings.example/rituals", 58, "/blog/how-to-brew-green-tea", "brew it slowly", false],
  ["https://kitchennotes.example/matcha-cake", 64, "/shop/matcha", "this matcha", true],
  ["https://harborside.example/food", 37, "/", "the tea shop at the pier", false],
  ["https://giftideas.example/under-30", 52, "/blog/gifts-with-matcha", "tea gifts", true]
] as const

/** A backlink export. */
export const linkRows = [
  "Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow",
  ...linkingPages.map(
    ([from, rating, to, anchor, isNofollow]) => `${from}\t${rating}\thttps://${tea.host}${to}\t${anchor}\t${isNofollow}`
  )
].join("\n")

const audited = [
  ["/", 0.92, 1900, 0.02],
  ["/shop/green-tea", 0.71, 3100, 0.04],
  ["/shop/matcha", 0.58, 4400, 0.18],
  ["/blog/how-to-brew-green-tea", 0.97, 1500, 0.01]
] as const

/** Lighthouse reports of three pages over three weeks. */
export const reports = () =>
  audited.flatMap(([path, speed, paint, shift], row) =>
    [2, 1, 0].map((weeks) => {
      const url = `https://${tea.host}${path}`
      const slower = 1 + 0.12 * weeks
      const base = report(
        {
          accessibility: { "image-alt": check(row % 2, { details: table({ node: element("main > img") }) }) },
          performance: {
            "cumulative-layout-shift": check(1, { numericValue: shift * slower }),
            "first-contentful-paint": check(0.9, { numericValue: paint * 0.5 }),
            "largest-contentful-paint": check(0.6, { numericValue: paint * slower }),
            "total-blocking-time": check(0.8, { numericValue: 180 * slower })
          },
          seo: { "meta-description": check(row === 3 ? 0 : 1) }
        },
        {
          fetchTime: new Date(Date.now() - (weeks * 7 + 1) * 86_400_000).toISOString(),
          finalDisplayedUrl: url,
          finalUrl: url,
          requestedUrl: url
        }
      )
      const scores = [speed / slower, 0.96 - row * 0.03, 1 - row * 0.04, 0.92]
      const categories = Object.entries(Object(base.categories)).map(([name, one], index) => [
        name,
        { ...Object(one), score: Math.round((scores[index] ?? 1) * 100) / 100 }
      ])
      return { ...base, categories: Object.fromEntries(categories) }
    })
  )

/** Questions for AI assistants. */
export const prompts = [
  "Which online shops sell good green tea?",
  "Where can I buy ceremonial matcha?",
  "How do I brew oolong without a scale?"
]

/** Changes of the shop's pages. */
export const changes = [
  { summary: "Shorter titles on tea guides", url: `https://${tea.host}/blog/how-to-brew-green-tea` },
  { summary: "Descriptions for guides", url: `https://${tea.host}/blog/storing-black-tea` },
  { summary: "Link from matcha to its guide", url: `https://${tea.host}/shop/matcha` }
]
