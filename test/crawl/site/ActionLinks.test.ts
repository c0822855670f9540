import { expect, test } from "bun:test"
import { actionOf } from "../../../src/crawl/site/Site.ts"

const actionAt = (path: string) => actionOf(new URL(path, "https://s.test"))

test("action URLs are recognized by the parameter or path that their platform documents", () => {
  const acting: Readonly<Record<string, string>> = {
    "/?add-to-cart=17": "?add-to-cart",
    "/shop/?orderby=price&add_to_cart=17&quantity=1": "?add_to_cart",
    "/cart/?remove_item=abc&_wpnonce=1": "?remove_item",
    "/cart/?undo_item=abc": "?undo_item",
    "/?wc-ajax=get_refreshed_fragments": "?wc-ajax",
    "/tea/?add_to_wishlist=3": "?add_to_wishlist",
    "/wishlist/?remove_from_wishlist=3": "?remove_from_wishlist",
    "/?action=yith-woocompare-add-product&id=3": "?action=yith-woocompare-add-product",
    "/a-post/?replytocom=12": "?replytocom",
    "/wp-login.php?action=logout&_wpnonce=ab": "?_wpnonce",
    "/wp-login.php?action=logout": "?action=logout",
    "/a-post/?share=facebook&nb=1": "?share",
    "/my-account/customer-logout/": "/customer-logout",
    "/?mylogout=": "?mylogout",
    "/index.php?controller=cart&add=1&id_product=3": "?add",
    "/forum/ucp.php?mode=logout&sid=1": "?mode=logout",
    "/forum/posting.php?mode=reply&t=3": "?mode=reply",
    "/forum/viewtopic.php?t=3&watch=topic&hash=1a": "?hash",
    "/index.php?title=Tea&action=watch": "?action=watch",
    "/wiki/Tea?action=purge": "?action=purge",
    "/index.php?title=Special:UserLogout": "?title=special:userlogout",
    "/wiki/Special:UserLogout": "special:userlogout",
    "/checkout/cart/add/uenc/aHR0/product/3/": "/checkout/cart/add",
    "/en/wishlist/index/add/product/3/": "/wishlist/index/add",
    "/catalog/product_compare/add/product/3/": "/catalog/product_compare/add",
    "/customer/account/logout/": "/customer/account/logout",
    "/cart/add?id=3": "/cart/add",
    "/de/cart/change?line=1&quantity=0": "/cart/change",
    "/cart/31:2": "/cart/",
    "/cart-links/57-2": "/cart-links/",
    "/comment/reply/node/3": "/comment/reply/",
    "/flag/flag/bookmarks/3?token=1": "/flag/flag/",
    "/user/logout": "/user/logout",
    "/en-us/account/logout": "/account/logout",
    "/logout": "/logout",
    "/users/sign_out": "/users/sign_out"
  }
  expect(Object.fromEntries(Object.keys(acting).map((path) => [path, actionAt(path)]))).toEqual(acting)
})

test("pages about such actions, and URLs with similar parameters, are pages", () => {
  const shown = [
    "/logout-guide",
    "/docs/logout",
    "/blog/how-to-add-to-cart",
    "/blog/add-to-cart/",
    "/stocks?share_price=12",
    "/stocks?market-share=12",
    "/cart",
    "/cart/",
    "/cart/additions",
    "/checkout/cart/",
    "/customer/account/login/",
    "/account",
    "/user/logouts",
    "/wishlist",
    "/wiki/Logout",
    "/videos?action=watch&v=3",
    "/index.php?title=Tea&action=history",
    "/forum/ucp.php?mode=register",
    "/forum/viewtopic.php?t=3&hash=1a",
    "/list?mode=edit",
    "/list?add=1",
    "/posts?reply=12",
    "/comment/12",
    "/?q=add-to-cart",
    "/search?s=logout"
  ]
  expect(shown.filter((path) => actionAt(path) !== null)).toEqual([])
})
