const context = '"@context":"https://schema.org"'
const one = (text: string): string => `{${context},${text}}`
const product = '"@type":"Product","name":"Shoe"'
const offer = '"offers":{"@type":"Offer","price":0,"priceCurrency":"EUR"}'
const place = '{"@type":"Place","name":"Hall","address":{"@type":"PostalAddress","addressCountry":"CH"}}'
const job =
  '"@type":"JobPosting","title":"Clerk","description":"Work","datePosted":"2026-01-01","hiringOrganization":{"@type":"Organization","name":"Firm"}'
const entry = (position: number, name: string, item: string | null): string =>
  `{"@type":"ListItem","position":${position},"name":"${name}"${item === null ? "" : `,"item":"${item}"`}}`
const trail = (...entries: ReadonlyArray<string>): string =>
  one(`"@type":"BreadcrumbList","itemListElement":[${entries.join(",")}]`)
const question = (answer: string): string =>
  one(`"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Why?","acceptedAnswer":${answer}}]`)

/** JSON-LD documents with all properties that Search Central requires of their types. */
export const sound: ReadonlyArray<string> = [
  one(`${product},${offer}`),
  one(`${product},"review":{"@type":"Review","author":"A","reviewRating":{"ratingValue":4}}`),
  one(`${product},"aggregateRating":{"@type":"AggregateRating","ratingValue":4,"reviewCount":2}`),
  one(`"@graph":[{"@id":"#p",${product},"offers":{"@id":"#o"}},{"@id":"#o","@type":"Offer","price":"9"}]`),
  one(
    `"@type":["Product","Vehicle"],"name":"Car","offers":{"@type":"AggregateOffer","lowPrice":1,"priceCurrency":"EUR"}`
  ),
  one('"@type":"Article"'),
  one('"@type":"Organization","url":"https://site.test/"'),
  one('"@type":"BlogPosting","publisher":{"@type":"Organization","url":"https://site.test/"}'),
  one('"@type":"Brand","name":"x","isRelatedTo":{"@type":"Product","name":"Sock"}'),
  one('"@type":"WebPage","video":{"@id":"https://other.test/#video"}'),
  one(`"@type":"MusicEvent","name":"x","startDate":"2026-01-01","location":${place}`),
  one(
    '"@type":"Event","name":"x","startDate":"2026-01-01","location":{"@type":"VirtualLocation","url":"https://x.test/"}'
  ),
  one(`${job},"jobLocation":${place}`),
  one(`${job},"jobLocationType":"TELECOMMUTE","applicantLocationRequirements":{"@type":"Country","name":"CH"}`),
  one('"@type":"Restaurant","name":"x","address":"Main Street 1"'),
  one('"@type":"Recipe","name":"x","image":["https://site.test/x.jpg"]'),
  one('"@type":"VideoObject","name":"x","thumbnailUrl":"https://site.test/x.jpg","uploadDate":"2026-01-01"'),
  trail(entry(1, "Home", "https://site.test/"), entry(2, "Here", null)),
  question('{"@type":"Answer","text":"So."}'),
  '{"@context":"https://example.com/terms","@type":"Product"}'
]

/** Documents without a required property, each by another row of the table. */
export const unsound: ReadonlyArray<string> = [
  one(product),
  one(`"@type":"https://schema.org/Product",${offer}`),
  one(`${product},"offers":{"@type":"Offer","priceCurrency":"EUR"}`),
  one(`${product},"offers":[]`),
  one(`"@graph":[{"@type":"WebPage","mainEntity":{"@id":"#p"}},{"@id":"#p",${product}}]`),
  one('"@type":"Organization","url":"/about"'),
  one('"@type":"NewsArticle","@id":"news/1"'),
  one('"@type":"Event","name":"x","startDate":"2026-01-01","location":{"@type":"Place","name":"Hall"}'),
  one('"@type":"Event","name":"x","location":"Hall"'),
  one(job),
  one(`${job},"jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Bern"}}`),
  one('"@type":"Dentist","name":"x"'),
  one('"@type":"Recipe","name":"x"'),
  one('"@type":"WebPage","video":{"@type":"VideoObject","name":"x","thumbnailUrl":"https://site.test/x.jpg"}'),
  one('"@type":"Review","author":"A","reviewRating":{"ratingValue":4}'),
  trail(entry(1, "Home", null), entry(2, "Here", null)),
  trail(entry(1, "Home", "/"), entry(2, "Here", null)),
  question('{"@type":"Answer","text":""}'),
  one('"@type":"FAQPage"')
]
