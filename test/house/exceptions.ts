/** When the issue of each check may be right as it is, or the check mistaken: what a crawl cannot know. */
export const exceptions: Readonly<Record<string, string>> = {
  address_twins:
    "Both URLs may be wanted where another system links to one of them; then a canonical says which is the page.",
  ai_bots_blocked: "Blocking AI crawlers is a choice. If it is yours, ignore the issue: it takes no points.",
  bingbot_blocked:
    "The block is right if you do not want visits from Bing and the search engines that use its index. The check looks at robots.txt alone, not at the settings in Bing Webmaster Tools.",
  blocked_but_linked: "Links to blocked URLs are normal for carts, searches and filters that no engine should crawl.",
  bot_challenge:
    "The firewall may let Google through by its IP addresses. Confirm with a URL inspection in Search Console.",
  broken_link:
    "A page behind a sign-in returns 401 or 403 to the crawl and opens for members. A firewall may refuse unknown crawlers alone: open the link in a browser.",
  canonical_chain:
    "One canonical of the chain may be a mistake. Decide which page should appear before you change the others.",
  canonical_changed_by_script:
    "A framework may send a provisional canonical and correct it. Search engines may have read the first one: send the right one from the server.",
  canonical_conflicting:
    "Two spellings of one page, such as with and without a slash at the end, count as two URLs. If one redirects to the other, search engines usually arrive at the same page.",
  canonical_cross_site: "It is right for syndicated content, where the original stands on the other site.",
  canonical_fragment: "Search engines ignore the fragment, so the canonical works if the URL before the # is right.",
  canonical_invalid:
    "A script may fill the value later. Google reads the canonical of the HTML first, and may have ignored it by then.",
  canonical_missing:
    "A site without duplicate URLs loses nothing. The canonical protects against URLs that others invent.",
  canonical_only_rendered:
    "Google accepts a canonical that a script adds. If you need only Google, the issue may stay.",
  canonical_outside_head:
    "The check reads the HTML as the server sends it. If a script moves the canonical into the head, Google may obey it.",
  canonical_relative:
    "Google resolves relative canonicals. They go wrong when a second host serves the same pages, such as a staging site.",
  canonical_to_error:
    "The other page may have failed for a moment. A soft 404 counts as an error too, and is inferred from the content: open the canonical URL in a browser first.",
  canonical_to_first_page:
    "If page 1 shows the items of all later pages, the canonical is right. Findable recognizes such a page by its number of words, and may miss one.",
  canonical_to_hidden:
    "The other page may be hidden for a while on purpose, such as before a launch. This page is then missing from search for the same time.",
  canonical_to_redirect:
    "During a move the redirect may be newer than the canonical. Search engines often arrive at the right page all the same.",
  canonical_unreachable:
    "On a development server the canonical names that server: check the production build. A host that is down for a moment looks the same as one that is gone.",
  charset_not_utf8:
    "A declared encoding that fits the text works in browsers and search engines. Trouble begins where forms, feeds or scripts mix it with UTF-8.",
  charset_undeclared:
    "If the page has ASCII characters alone, every guess is right. The first accented letter ends that. A declaration behind the first 1024 bytes counts as missing.",
  connection_lost: "One lost connection says little. Crawl again before you change anything.",
  content_duplicate: "Print versions and regional copies may be meant; a canonical or hreflang then says so.",
  content_near_duplicate:
    "Product variants and local pages resemble each other by nature. Check whether each serves a search of its own.",
  content_only_rendered:
    "Google renders pages, so their texts can be indexed. The issue matters for engines and AI crawlers without scripts.",
  control_unnamed:
    "A script may add the name after the page has loaded. Look the control up in the accessibility tree of a browser's developer tools.",
  dead_end: "A landing page without links may be meant. Search engines find no way on from it.",
  description_changed_by_script:
    "Google uses the rendered description. Others may show the one that the server sends, which may be right too.",
  description_duplicate:
    "Pages of a numbered sequence may share their description, and are left out of this check. Google often writes its own snippet anyway.",
  description_long:
    "Google cuts the snippet to the width of the screen. If the beginning says what matters, the rest does no harm.",
  description_missing: "Google often writes its own snippet, and for long-tail pages it may be better than yours.",
  description_multiple: "Google may use any of them. If all say the same, nothing is lost.",
  description_only_rendered: "Google reads the rendered description. Previews in chats and social networks do not.",
  endless_addresses:
    "Findable counts patterns of URLs. If every combination is a page that people search for, it is no issue.",
  external_link_broken: "Some sites return errors to crawlers and show the page to people. Open the link in a browser.",
  h1_changed_by_script: "Both headings may say the same in other words, such as a short one before data arrive.",
  h1_missing:
    "The alt text of an image inside the h1 counts as its text. A page with a clear title ranks without an h1, but screen readers miss the heading.",
  h1_multiple: "HTML allows it. If the headings are a clear outline, leave them.",
  h1_only_rendered: "Google reads the rendered heading. The issue matters where other engines bring visitors.",
  hreflang_changed_by_script:
    "A script may add languages that the server does not know. Engines may have read only the first list.",
  hreflang_conflicting:
    "Two spellings of one page count as two URLs. If one redirects to the other, search engines may arrive at the same page.",
  hreflang_default_conflicting:
    "The check compares where each x-default ends after its redirects. Two defaults may be meant for two groups of countries, but search engines use only one.",
  hreflang_invalid:
    "Findable compares with the codes of ISO 639 and ISO 3166 and with areas in digits, such as es-419. A search engine may accept a code that is none of these.",
  hreflang_missing:
    "Findable compares URLs. Pages whose paths look like languages but are something else need no hreflang.",
  hreflang_no_return:
    "The other version may have changed during the crawl, or get its links from a script. Look into the HTML of both pages, and crawl again.",
  hreflang_only_rendered: "Google can read rendered hreflang. A sitemap with hreflang says the same without scripts.",
  hreflang_relative:
    "Google may resolve the URL all the same. On a second host, such as a staging site, it resolves to the wrong page.",
  hreflang_self_missing:
    "Google often works without the self-reference. A URL that redirects to the page counts as a self-reference, if the crawl followed the redirect.",
  hreflang_to_unindexable:
    "The other version may have failed for a moment, or be hidden before a launch. A temporary redirect from x-default is right, and is left out of this check.",
  image_alt_missing:
    "The check sees whether an image has alt, not whether the text is good. Images that are hidden from screen readers or have a label are left out.",
  image_dimensions_missing: "A style sheet may keep the space; this crawl does not load style sheets.",
  image_heavy: "Large photos may be the content. Serve them resized and lazily loaded.",
  language_invalid:
    "Findable knows the registered codes of its release, so a very new one may be missing. Tags of private use (x-…) are valid and left out.",
  language_missing: "Search engines detect the language themselves; screen readers do not.",
  link_fragment_missing:
    "A script may add the section later or read the fragment as a state. Findable leaves out fragments with the signs of a route (/ ! : =), and tabs that a script builds from many of them.",
  link_invalid: "A script may replace the URL before anybody clicks. Search engines still read the URL in the HTML.",
  link_nofollow_internal:
    "Nofollow may be right for links that act, such as “add to cart”. Links to sorted or filtered views of an indexable page are left out.",
  link_script:
    "A control that opens something on its page is no link. Findable recognizes most controls by their role, state and name, and may miss one.",
  link_text_generic:
    "The words around a link may say where it leads. Findable compares with a list of texts for each language, which knows nothing of the place. The issue takes no points.",
  link_text_missing:
    "An icon that a style sheet draws is no text. If a second link beside it names the same page, people find their way, but screen readers read out the URL.",
  link_to_redirect: "Links to a redirect work. Fix them when you edit the page anyway, navigation first.",
  links_by_fragment: "Some routes are views and not pages, such as a dialog or a tab. They need no URL of their own.",
  links_only_raw: "A script may replace a menu by another one that leads to the same pages by other links.",
  links_only_rendered: "If other pages or the sitemap name the same URLs, engines find them without scripts.",
  markup_too_deep:
    "Browsers show such a page. The limits are those of Findable: 200,000 elements and texts, and 512 elements inside one another.",
  meta_refresh:
    "The check reports every refresh to another URL, whatever its delay. A notice that leads on after some seconds, such as after a form, may be meant.",
  missing_page_answers_200:
    "An application that draws its routes by scripts often does this. Google sees a soft 404 on each.",
  mixed_content:
    "Browsers load images over https by themselves where they can. `Content-Security-Policy: upgrade-insecure-requests` does it for every file, but the check does not read the header.",
  mostly_hidden: "Members' areas and archives may be hidden on purpose. Then crawl the public part alone.",
  needs_javascript:
    "The crawl sees the HTML alone. If you render for crawlers on the server, check that this crawler gets it too.",
  next_to_error: "The next page may have failed for a moment. Google ignores rel=next.",
  no_eligible_page:
    "A staging or members' site hides all pages on purpose. A crawl that ended at its page limit may have met the hidden pages alone.",
  nofollow_removed_by_script:
    "The nofollow may be meant for crawlers without scripts. Google keeps the directive that it reads first.",
  noindex_added_by_script:
    "It may be meant, for example for an item that is sold out. Then send the noindex from the server.",
  noindex_file: "Files are often kept out of the index on purpose.",
  noindex_page: "Thank-you pages, searches and filters are often kept out of the index on purpose.",
  noindex_removed_by_script:
    "The page may be meant to stay out of the index, and the script may only change the menu of its settings.",
  noindex_with_canonical:
    "Google usually follows noindex, so a page that should stay out of search stays out. The check cannot know which of the two you mean.",
  noscript_ends_head:
    "Google runs scripts, so its head does not end there. Only crawlers that read HTML without scripts are concerned.",
  noscript_only:
    "A link in noscript beside a lazy image, or a refresh for visitors without scripts, may be meant. The issue takes no points.",
  open_graph_missing:
    "A page that nobody shares needs no preview, and some networks fall back on title and description. The issue takes no points.",
  open_graph_relative: "Some networks resolve relative URLs. Test a preview where your readers share links.",
  orphan_page: "Landing pages of campaigns may be without links on purpose; then leave them out of the sitemap.",
  page_client_error:
    "A page behind a sign-in returns 401 or 403 to the crawl and opens for members. A firewall may refuse unknown crawlers alone: open the URL in a browser. A 410 is right for a page that you removed.",
  page_deep: "Archives are deep by nature. Pages that should rank should not be.",
  page_not_in_sitemap: "A sitemap may list the important pages alone. Engines find linked pages without it.",
  page_over_2mb:
    "If the end of the HTML is data for scripts, search engines miss no content. The size is that of the HTML after decompression, without images and files.",
  page_over_http:
    "A site on a private network may have no certificate on purpose. A server on localhost is left out of this check.",
  page_server_error:
    "A deployment or an overload may last longer than the second between both requests. Read the server's log for that minute, and crawl again.",
  page_timed_out: "The server may have been busy for a moment. Crawl again before you change anything.",
  quirks_mode: "Old pages may rely on quirks mode for their layout. Look at the page after you have added the doctype.",
  rate_limited: "The limit may be for unknown crawlers alone. Check the server's log for Googlebot.",
  redirect_by_script:
    "A redirect after a check of language or sign-in may be meant for people. Engines see it as a move of the page.",
  redirect_chain:
    "Two hops are common: from http to https, then to the host with www. Browsers and search engines follow both.",
  redirect_downgrade:
    "The server may not know that a proxy in front of it ends TLS, and so builds http URLs. A second redirect may then lead back to https, but the first one is sent without encryption.",
  redirect_loop:
    "Every page gets the cookies that the start page set, and no others. A redirect that sets a cookie and leads back may end in a browser, but loops for search engines too.",
  redirect_offsite: "It is right after a move to another domain.",
  redirect_temporary: "It is right for what is temporary: a sale, a language choice, a sign-in.",
  redirect_to_error:
    "The last page may have failed for a moment. A soft 404 counts as an error too, and is inferred from the content: open the last URL in a browser first.",
  redirect_without_target:
    "A proxy may remove the Location header for unknown crawlers. Request the URL with curl from another network.",
  rendering_blocked_by_robots: "A blocked script of statistics or consent changes nothing that engines index.",
  rendering_failed:
    "Findable grants 5 seconds and 512 MiB. A page that people use without trouble may still exceed them.",
  rendering_resource_failed:
    "The failing server may have been busy for a moment. Crawl again before you change anything.",
  resource_broken:
    "The check looks at files on the page's own host. A firewall may refuse files to unknown crawlers: open the file in a browser.",
  response_slow: "The time is measured from the crawler's machine. Compare with field data before you invest.",
  robots_directive_unreadable:
    "The check reports words that are close to a known directive. A directive of a crawler that Findable does not know may look like a typing error.",
  robots_directives_conflict:
    "The check puts tags for all crawlers and tags for Googlebot together. If you mean to hide the page from Google alone, the pair is right.",
  robots_meta_outside_head:
    "The check reads the HTML as the server sends it. If a script moves the tag into the head, Google may obey it; a few crawlers obey it in the body too.",
  robots_truncated: "Comments count too. If only comments stand behind the first 500 KiB, nothing is lost.",
  robots_txt_html:
    "Search engines find no directive in the HTML page and crawl everything. If you want exactly that, nothing is lost until somebody adds a line.",
  robots_txt_lines:
    "A line for one special crawler may be right although no large search engine knows its field. The check also lists lines that Google tolerates, because others may not.",
  robots_unreachable:
    "The crawl saw one moment. If robots.txt opens in a browser, a firewall or a rate limit may refuse unknown crawlers.",
  script_error: "An error of a third party's script may leave the page whole. Compare the page with and without it.",
  sitemap_foreign_urls:
    "Search engines accept URLs of another host if its robots.txt names this sitemap, or if both hosts are verified in Search Console. The check does not know that.",
  sitemap_invalid:
    "Search engines forgive some errors, such as a wrong namespace. The sitemap report of Search Console shows how many URLs Google read.",
  sitemap_lastmod_implausible: "A site that was published as a whole may have one date for all pages, once.",
  sitemap_lists_blocked:
    "The check reads robots.txt for Googlebot. The group of another search engine may allow these URLs.",
  sitemap_lists_canonicalised:
    "The canonical may be the mistake, and the sitemap right. Check the canonical before you remove the URL.",
  sitemap_lists_errors:
    "The page may have failed for a moment. A soft 404 counts as an error too, and is inferred from the content: open the URL in a browser first.",
  sitemap_lists_noindex:
    "For some weeks the sitemap may list a page whose new noindex search engines should see soon. Remove the URL when the page has left the index.",
  sitemap_lists_redirects:
    "After a move, old URLs in a sitemap may help search engines to see the redirects sooner. Remove them after some weeks.",
  sitemap_missing: "A small site whose pages are all linked needs none.",
  sitemap_named_but_absent:
    "The server may refuse unknown crawlers with a 404. The sitemap report of Search Console shows whether Google gets the file.",
  sitemap_values_invalid:
    "Google ignores priority and changefreq, so an invalid value of these does no harm there. An invalid lastmod does.",
  soft_404:
    "It is inferred from texts and structure. A short page about errors can look like one: open each page first.",
  soft_404_rendered:
    "It is inferred from the rendered text. A page without data at the time of the crawl can look like one.",
  start_blocked:
    "On a staging site the block is right: `crawl --user-agent` reads another group of robots.txt. The check looks at Googlebot alone, and a block of other crawlers does not show here.",
  start_hidden:
    "A site before its launch hides its start page on purpose. A canonical to another URL of the start page, such as /index.html, is no issue here.",
  start_unavailable:
    "A start page may be down for a moment, or hidden before a launch. Open the start URL in a browser and crawl again.",
  structured_data_empty:
    "A script may fill the block later. Google sees that when it renders the page, other crawlers do not.",
  structured_data_only_rendered:
    "Google reads structured data that scripts add. Products in Merchant listings take longer to be updated.",
  structured_data_required:
    "Google requires these properties for a rich result. If you want none of that type, the data does no harm. Relative URLs are valid JSON-LD, but some tools do not resolve them.",
  structured_data_syntax:
    "Some search engines forgive small errors, such as a trailing comma. The Rich Results Test shows what Google reads.",
  structured_data_untyped:
    "A script may add the type later. Blocks of a vocabulary other than schema.org may have their type under another name.",
  thin_content: "Contact pages, galleries and tools are short by nature. Words are a sign and not the goal.",
  title_changed_by_script: "Counters of messages or a site name at the end may be added on purpose.",
  title_duplicate: "Pages of a numbered sequence may share their title, and are left out of this check.",
  title_long: "Google cuts by width and not by letters. If the first words say it, a long title does no harm.",
  title_missing:
    "On a site that needs no JavaScript, one page may still get its title from a script. Google sees such a title, link previews do not.",
  title_multiple:
    "Titles inside of an inline SVG are not counted. Search engines use the first title, so the page works if that one is right.",
  title_only_rendered: "Google reads the rendered title. Previews in chats and social networks do not.",
  title_outside_head:
    "The check reads the HTML as the server sends it. Browsers show such a title, and Google often finds it.",
  unreachable_page:
    "A search form, a script or another site may lead to the page. Findable follows links in the HTML alone.",
  url_credentials: "An example in documentation may look like a real password. Write it as text and not as a link.",
  viewport_missing: "A page that nobody opens on a phone does well without it. Google crawls as a phone, though."
}
