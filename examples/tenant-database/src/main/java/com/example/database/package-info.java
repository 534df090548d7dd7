/** An operator for databases of tenants: a PostgreSQL for each, of a class that many share. */
@NullMarked
package com.example.database;

import org.jspecify.annotations.NullMarked;
