<?php
// What a web server's rewrite rules do: files are themselves, and everything else is WordPress. Each request is noted.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
file_put_contents(getenv('WORDPRESS_ROOT') . '/requests', "{$_SERVER['REQUEST_METHOD']} {$_SERVER['REQUEST_URI']}\n", FILE_APPEND);
if ($path !== '/' && is_file($_SERVER['DOCUMENT_ROOT'] . $path) && !str_ends_with($path, '.php')) {
	return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
