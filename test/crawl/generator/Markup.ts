import type { Doc, LinkPlan } from "./Site.ts"

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const tag = (name: string, attributes: Readonly<Record<string, string | null>>): string => {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escaped(value)}"`]
  )
  return `<${name}${written.join("")}>`
}

const size = { width: "40", height: "30" }

const link = ({ element, image, raw, rel, text, written }: LinkPlan, shouting: boolean): string => {
  if (raw !== undefined) return `<li>${raw}</li>`
  if (element === "area") return `<map name="m">${tag("area", { href: written, alt: text })}</map>`
  if (element === "iframe") return `${tag("iframe", { src: written, title: text })}</iframe>`
  const [name, href] = shouting ? ["A", "HREF"] : ["a", "href"]
  const inside = image === true ? tag("img", { src: "/logo.png", alt: text, ...size }) : escaped(text)
  return `<li>${tag(name, { [href]: written, rel: rel ?? null })}${inside}</${name}></li>`
}

const jsonLd: Readonly<Record<Doc["jsonLd"][number], string>> = {
  sound: '{"@context":"https://schema.org","@type":"WebPage","name":"a \\u003c b"}',
  graph: '{"@context":"https://schema.org","@graph":[{"@type":["Article","Thing"],"headline":"x"}]}',
  broken: '{"@context":"https://schema.org","@type":"WebPage",}',
  contextless: '{"@type":"WebPage","name":"x"}',
  typeless: '[{"@context":"https://schema.org","name":"x"}]',
  list: "[]",
  object: " {} ",
  null: "null",
  "no graph": '{"@context":"https://schema.org","@graph":[]}',
  blank: "\n"
}

const padding = `<!--${" pad".repeat(300)}-->`
const long = `<!--${"x".repeat(2_200_000)}-->`
const deep = "<i>".repeat(310_000)

const charsets: Readonly<Record<Doc["charset"], { readonly first: string; readonly last: string }>> = {
  header: { first: "", last: "" },
  meta: { first: '<meta charset="utf-8">', last: "" },
  bom: { first: "", last: "" },
  none: { first: "", last: "" },
  late: { first: padding, last: '<meta charset="utf-8">' },
  latin1: { first: "", last: "" }
}

const noscripts = (doc: Doc, where: "head" | "body"): ReadonlyArray<string> =>
  doc.noscripts.flatMap(({ content, place }) => (place === where ? [`<noscript>${content}</noscript>`] : []))

const head = (doc: Doc): string => {
  const { first, last } = charsets[doc.charset]
  const canonicals = doc.canonicals.filter(({ place }) => place === "head")
  const robots = doc.robots.filter(({ place }) => place === "head")
  const hreflangs = doc.hreflangs.filter(({ place }) => place === "head")
  const meta = doc.shouting ? "META" : "meta"
  const titles = doc.titles.map((title) => `<title>${escaped(title)}</title>`).join("")
  return [
    first,
    ...noscripts(doc, "head"),
    doc.base === null ? "" : tag("base", { href: doc.base }),
    doc.titleOutsideHead ? "" : titles,
    doc.viewport ? tag(meta, { name: "viewport", content: "width=device-width, initial-scale=1" }) : "",
    ...doc.descriptions.map((content) => tag(meta, { name: "Description", content })),
    ...robots.map(({ agent, content }) => tag(meta, { name: agent, content })),
    ...canonicals.map(({ written }) => tag("link", { rel: "canonical", href: written })),
    ...hreflangs.map(({ language, written }) => tag("link", { rel: "alternate", hreflang: language, href: written })),
    doc.next === null ? "" : tag("link", { rel: "next", href: doc.next }),
    doc.refresh?.place === "meta"
      ? tag(meta, { "http-equiv": "refresh", content: `${doc.refresh.seconds}; url=${doc.refresh.to}` })
      : "",
    ...doc.openGraph.map(([property, content]) => tag(meta, { property, content })),
    ...doc.typedData.map(({ text }) => `<script type="application/ld+json">${text}</script>`),
    ...doc.jsonLd.map((kind) => `<script type="application/ld+json">${jsonLd[kind]}</script>`),
    ...doc.styles.map((href) => tag("link", { rel: "stylesheet", href })),
    last,
    // An image is not allowed in the head: it ends the head, and the rest belongs to the body.
    doc.titleOutsideHead ? `<img src="/pixel.png" alt="" width="1" height="1">${titles}` : ""
  ].join("")
}

const body = (doc: Doc): string => {
  if (doc.shell) return '<div id="root"></div><script src="/app.js"></script>'
  return [
    ...noscripts(doc, "body"),
    "<header><p>Site</p></header>",
    `<nav><ul>${doc.links.map((each) => link(each, doc.shouting)).join("")}</ul></nav>`,
    doc.menu.length === 0 ? "" : `<div>${doc.menu.join(" ")}</div>`,
    ...doc.h1.map((text) => `<h1>${escaped(text)}</h1>`),
    `<p>${doc.words.join(" ")}</p>`,
    doc.code.length === 0 ? "" : `<aside><pre><code>${doc.code.join("(")}</code></pre></aside>`,
    ...doc.images.map((alt, index) => tag("img", { src: `/image-${index}.png`, alt, ...size })),
    ...doc.pictures.map(({ markup: picture }) => picture),
    ...doc.photos.map((src) => tag("img", { src, alt: "A picture", ...size })),
    ...doc.parts.map(({ markup: part }) => part),
    ...doc.resources.map((src) => tag("script", { src }).concat("</script>")),
    ...doc.robots.flatMap(({ agent, content, place }) =>
      place === "body" ? [tag("meta", { name: agent, content })] : []
    ),
    ...doc.canonicals.flatMap(({ place, written }) =>
      place === "body" ? [tag("link", { rel: "canonical", href: written })] : []
    ),
    "<footer><p>End</p></footer>",
    doc.bulk === "long" ? long : "",
    doc.bulk === "deep" ? deep : ""
  ].join("\n")
}

const doctypes: Readonly<Record<Doc["doctype"], string>> = {
  html5: "<!DOCTYPE html>",
  none: "",
  obsolete: '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">'
}

/** The document as HTML text, with a script at its end. */
export const markup = (doc: Doc, code: string | null = null): string =>
  doc.empty
    ? ""
    : `${doc.charset === "bom" ? "\u{feff}" : ""}${doctypes[doc.doctype]}${tag("html", { lang: doc.lang })}<head>${head(doc)}</head><body>${body(doc)}${code === null ? "" : `<script>${code}</script>`}</body></html>`
