/** What the API server asks the operator: Websites in their first version, and whether a host is free. */
@NullMarked
package com.example.website.webhook;

import org.jspecify.annotations.NullMarked;
