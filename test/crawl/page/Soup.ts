import * as fc from "fast-check"

const names = [
  ..."a area iframe frame frameset link meta title base img h1 h2 p b i u div span table tbody tr td th caption select option".split(
    " "
  ),
  ..."ul li dl dd form button textarea template noscript script style svg math mi desc foreignObject annotation-xml object".split(
    " "
  ),
  ..."head body html br hr plaintext xmp noframes noembed nobr font center main nav article x-own".split(" ")
]

const values = fc.constantFrom(
  "/a",
  "b?c=1&amp;d=2",
  " //other.example/x ",
  "#f",
  "",
  "mailto:x@y.z",
  "javascript:void 0",
  "http://[",
  "https://host.example/%7e%2f#g",
  "canonical",
  "CANONICAL alternate",
  "nofollow ugc",
  "robots",
  "Description",
  "noindex",
  "refresh",
  "5;url=/next",
  "text/html",
  "hidden",
  "a&lt;b&#x41;&notit;",
  "two\r\nlines,\r😀 and \0 more"
)

const attributeNames = fc.constantFrom(
  ..."href HREF src rel Rel name content http-equiv property lang alt xlink:href type encoding hreflang id class definitionurl".split(
    " "
  )
)

const attribute = fc
  .tuple(attributeNames, values, fc.constantFrom('"', "'", ""))
  .map(([name, value, quote]) =>
    quote === "" ? `${name}=${value.replace(/[\s"'>]/g, "")}` : `${name}=${quote}${value}${quote}`
  )

const startTag = fc
  .tuple(fc.constantFrom(...names), fc.array(attribute, { maxLength: 4 }), fc.constantFrom(">", "/>", " >", ""))
  .map(([name, attributes, end]) => `<${[name, ...attributes].join(" ")}${end}`)

const endTag = fc.constantFrom(...names).map((name) => `</${name}>`)

const other = fc.constantFrom(
  "text",
  "some words\nand\r\n\rmore &lt; 😀 of\0 them ",
  " ",
  "\n",
  "&amp;",
  "&nbsp",
  "<!-- c -->",
  "<!--",
  "-->",
  "<!doctype html>",
  "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'>",
  "<![CDATA[x]]>",
  "<?php ?>",
  "</",
  "<",
  "\0",
  "\r\n",
  "😀",
  "<A HREF='/UP'>",
  '<link rel=canonical href="/c">',
  "<title>T</title>",
  '<meta name="robots" content="none">',
  "<base href=/base/>",
  "<head>",
  "</head>"
)

/** Random markup: unbalanced tags, half tags, comments, foreign content. */
export const soup = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: startTag }, { weight: 3, arbitrary: endTag }, { weight: 3, arbitrary: other }),
    {
      maxLength: 40
    }
  )
  .map((pieces) => pieces.join(""))

/** Documents with a mostly valid head and body, with random markup inside. */
export const page = fc
  .tuple(fc.boolean(), soup, soup, fc.array(attribute, { maxLength: 3 }))
  .map(
    ([hasDoctype, head, body, attributes]) =>
      `${hasDoctype ? "<!DOCTYPE html>" : ""}<html lang=en><head><title>A page</title>${head}</head><body ${attributes.join(" ")}><h1>H</h1><p>${body}</p><a href="/last">l</a></body></html>`
  )
